import {
  CLICK_DEAD_LETTER_TOPIC,
  CLICK_EVENT_TYPE,
  CLICK_TOPIC,
  clickEvent,
  clickEventHeaders,
} from '@gatepost/contracts';
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

/** The AsyncAPI 3.0 description of click events, whose schemas are the very ones of the contract. */
export function asyncApiDocument() {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Gatepost clicks',
      version: '1.0.0',
      description:
        'What the link shortener publishes of each followed link: one event a redirect, after its response, at least once. `ce_id` tells repetitions. The value has these five members; whatever else there may be to say will travel in headers.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels: {
      clicks: {
        address: CLICK_TOPIC,
        title: 'Clicks',
        description:
          'Keyed by code: the clicks of a link are in order. Values hold addresses of visitors, which are personal data: the topic is created with a retention of seven days.',
        messages: { linkClicked: { $ref: '#/components/messages/linkClicked' } },
        bindings: {
          kafka: {
            topic: CLICK_TOPIC,
            topicConfiguration: { 'retention.ms': 604_800_000 },
            bindingVersion: '0.5.0',
          },
        },
      },
      deadLetters: {
        address: CLICK_DEAD_LETTER_TOPIC,
        title: 'Dead letters',
        description:
          'Messages of the other topic that the worker could not read, as they were, with the reason and their place in further headers.',
        messages: { deadLetter: { $ref: '#/components/messages/deadLetter' } },
      },
    },
    operations: {
      publishClick: {
        action: 'send',
        channel: { $ref: '#/channels/clicks' },
        summary: 'The service publishes the clicks of tracked links, in batches of some 35 ms',
        messages: [{ $ref: '#/channels/clicks/messages/linkClicked' }],
      },
      countClick: {
        action: 'receive',
        channel: { $ref: '#/channels/clicks' },
        summary: 'The worker counts them',
        messages: [{ $ref: '#/channels/clicks/messages/linkClicked' }],
      },
      buryMessage: {
        action: 'send',
        channel: { $ref: '#/channels/deadLetters' },
        summary: 'The worker puts aside what is no click',
        messages: [{ $ref: '#/channels/deadLetters/messages/deadLetter' }],
      },
    },
    components: {
      messages: {
        linkClicked: {
          name: CLICK_EVENT_TYPE,
          title: 'A link was followed',
          summary: 'CloudEvents 1.0 in the binary mode of its Kafka binding',
          contentType: 'application/json',
          headers: { $ref: '#/components/schemas/ClickEventHeaders' },
          payload: { $ref: '#/components/schemas/ClickEvent' },
          bindings: {
            kafka: { key: toJsonSchema(clickEvent.shape.code), bindingVersion: '0.5.0' },
          },
          examples: [{ name: 'A click', headers: EXAMPLE_HEADERS, payload: EXAMPLE_EVENT }],
        },
        deadLetter: {
          name: 'dead-letter',
          title: 'A message that is no click',
          headers: {
            type: 'object',
            required: DEAD_LETTER_HEADERS.map(([name]) => name),
            properties: Object.fromEntries(
              DEAD_LETTER_HEADERS.map(([name, description]) => [
                name,
                { type: 'string', description },
              ]),
            ),
          },
        },
      },
      schemas: {
        ClickEvent: toJsonSchema(clickEvent),
        ClickEventHeaders: toJsonSchema(clickEventHeaders),
      },
    },
  };
}

const DEAD_LETTER_HEADERS = [
  ['dead-letter-reason', 'The first thing that was wrong'],
  ['dead-letter-topic', 'Topic of the message'],
  ['dead-letter-partition', 'Its partition'],
  ['dead-letter-offset', 'Its offset'],
] as const;

const EXAMPLE_TIME = '2026-11-20T10:11:12.345Z';

export const EXAMPLE_EVENT = {
  code: 'AbC1234',
  timestamp: EXAMPLE_TIME,
  ip: '203.0.113.9',
  referrer: 'https://news.example.com/',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
};

export const EXAMPLE_HEADERS = {
  ce_specversion: '1.0',
  ce_id: '019aa0f3-2f29-7c3e-9b5d-0f6f0e8a4d21',
  ce_type: CLICK_EVENT_TYPE,
  ce_source: 'https://go.example.com',
  ce_time: EXAMPLE_TIME,
  'content-type': 'application/json',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

/** A schema with an id of its own comes wrapped into definitions that hold only itself. */
function toJsonSchema(schema: z.ZodType): Json {
  const wrapped = z.toJSONSchema(schema, { io: 'input' }) as Json & { $defs?: Json };
  const {
    $schema: _draft,
    id: _id,
    ...bare
  } = wrapped.$defs ? (Object.values(wrapped.$defs)[0] as Json) : wrapped;
  return bare;
}
