// What a click adds to the process that redirects: the sink takes it, batches it and publishes it. Reads
// { brokers, rate, seconds } from its argument; prints CPU microseconds per click, beside the same loop without clicks.

import { KafkaClickDelivery } from '../../../apps/shortener/dist/clicks/kafka-click-delivery.js';
import { openKafka } from '../../../apps/shortener/dist/clicks/kafka-connection.js';
import { OutboxClickSink } from '../../../apps/shortener/dist/clicks/outbox-click-sink.js';
import { createMetrics } from '../../../libs/service-kit/dist/index.js';
import { clickMaker } from './made-up-clicks.mjs';

const { brokers, rate, seconds, rounds } = JSON.parse(process.argv[2]);
const logger = { warn: console.error, info: () => undefined, debug: () => undefined };
const kafka = openKafka({ env: { KAFKA_BROKERS: brokers }, clientId: 'bench', logger });
const delivery = new KafkaClickDelivery({ kafka, logger, source: 'bench', partitions: 12 });
const sink = new OutboxClickSink(delivery, {
  env: { CLICK_BUFFER_EVENTS: 50_000 },
  logger,
  metrics: createMetrics('bench'),
});
const nextClick = clickMaker(1_000);

/** Makes clicks at the rate, a few every two milliseconds as requests come, and says how many and at what CPU cost. */
async function work(milliseconds, take) {
  const before = process.cpuUsage();
  const began = performance.now();
  let clicks = 0;
  for (;;) {
    const elapsed = performance.now() - began;
    if (elapsed >= milliseconds) break;
    for (; clicks < (elapsed * rate) / 1_000; clicks++) take(nextClick());
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await sink.flush();
  const { user, system } = process.cpuUsage(before);
  return { clicks, us: user + system };
}

const record = (click) => sink.record(click);
const forget = () => undefined;
// A thousand batches, as a process has sent after half a minute, so that compilers are done with what happens 28 times a second.
for (let batch = 0; batch < 1_000; batch++) {
  for (let click = 0; click < 50; click++) sink.record(nextClick());
  await sink.flush();
}
await work(1_000, record);
await work(500, forget);
const results = [];
for (let round = 0; round < rounds; round++) {
  const without = await work(seconds * 1_000, forget);
  const recorded = await work(seconds * 1_000, record);
  results.push(recorded.us / recorded.clicks - without.us / without.clicks);
}
process.stdout.write(JSON.stringify(results));
await sink.onApplicationShutdown();
