import { z } from 'zod';

/** Where click events are published; the key of a message is its code. */
export const CLICK_TOPIC = 'shortener.clicks.v1';

/** Where the worker puts what it could not read, with the reason in the headers. */
export const CLICK_DEAD_LETTER_TOPIC = 'shortener.clicks.v1.dead-letter';

/** `ce_type` of a click event. It changes when the value changes incompatibly. */
export const CLICK_EVENT_TYPE = 'com.gatepost.shortener.link.clicked.v1';

/** The value of a click event: these five members and no others. */
export const clickEvent = z
  .strictObject({
    code: z
      .string()
      .regex(/^[0-9A-Za-z]{6,8}$/)
      .meta({ description: 'The short code, as it was asked for' }),
    timestamp: z.iso
      .datetime()
      .meta({ description: 'When the redirect was answered: RFC 3339, UTC, milliseconds' }),
    ip: z.string().min(1).max(64).meta({
      description: 'Address of the visitor, as the gateway saw it. Personal data: keep it short',
    }),
    referrer: z
      .string()
      .max(2048)
      .nullable()
      .meta({ description: '`Referer` of the request; null when it had none' }),
    userAgent: z
      .string()
      .max(1024)
      .nullable()
      .meta({ description: '`User-Agent` of the request; null when it had none' }),
  })
  .meta({ id: 'ClickEvent' });
export type ClickEvent = z.infer<typeof clickEvent>;

/** The headers of a click event: CloudEvents 1.0, Kafka binding, binary mode; and the trace it belongs to. */
export const clickEventHeaders = z
  .object({
    ce_specversion: z.literal('1.0'),
    ce_id: z.uuid().meta({
      description: 'UUIDv7, unique to the click: a message that comes twice has the same',
    }),
    ce_type: z.literal(CLICK_EVENT_TYPE),
    ce_source: z.string().meta({ description: 'Public address of the platform' }),
    ce_time: z.iso.datetime().meta({ description: 'The timestamp of the value' }),
    'content-type': z.literal('application/json'),
    traceparent: z
      .string()
      .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
      .meta({ description: 'W3C Trace Context of the redirect' }),
  })
  .meta({ id: 'ClickEventHeaders' });
export type ClickEventHeaders = z.infer<typeof clickEventHeaders>;
