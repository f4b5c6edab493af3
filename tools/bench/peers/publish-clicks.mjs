// Publishes clicks to Kafka in a process of its own, as the shortener would: its own encoder, its own delivery. Reads
// { brokers, clicks, links, partitions } from its argument; prints how many messages the topic holds then: a delivery that was
// repeated, to a leader that was not ready for example, leaves some twice.

import { EventIds } from '../../../apps/shortener/dist/clicks/event-id.js';
import { KafkaClickDelivery } from '../../../apps/shortener/dist/clicks/kafka-click-delivery.js';
import { CLICK_TOPICS, openKafka } from '../../../apps/shortener/dist/clicks/kafka-connection.js';
import { clickMaker } from './made-up-clicks.mjs';

const { brokers, clicks, links, partitions } = JSON.parse(process.argv[2]);
const logger = { warn: console.error, debug: () => undefined };
const kafka = openKafka({ env: { KAFKA_BROKERS: brokers }, clientId: 'bench', logger });
const delivery = new KafkaClickDelivery({
  kafka,
  logger,
  source: 'bench',
  partitions,
  topics: CLICK_TOPICS,
});
const ids = new EventIds();
const nextClick = clickMaker(links);
for (let sent = 0; sent < clicks; sent += 1_000) {
  const batch = Array.from({ length: 1_000 }, () => {
    const { timestamp, ...facts } = nextClick();
    return {
      id: ids.eventId(timestamp.getTime()),
      time: timestamp.getTime(),
      traceparent: ids.traceparent(),
      event: { ...facts, timestamp: timestamp.toISOString() },
    };
  });
  await delivery.deliver(batch);
}
await delivery.close();
const admin = kafka.admin();
await admin.connect();
const ends = await admin.fetchTopicOffsets(CLICK_TOPICS.clicks);
await admin.disconnect();
process.stdout.write(String(ends.reduce((sum, { high }) => sum + Number(high), 0)));
