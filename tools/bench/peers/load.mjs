// Load from a process of its own, so that its CPU is nobody's. Reads a job from its argument, prints the outcome as JSON.
// With `rate` it is an open loop. autocannon has a rate too, but sends what is due in a second as fast as it can when that begins.
import autocannon from 'autocannon';
import { openLoop } from './open-loop.mjs';

const {
  url,
  seconds,
  connections = 64,
  rate,
  headers = {},
  method = 'GET',
  body,
  expect = [200],
} = JSON.parse(process.argv[2]);
const job = { url, seconds, connections, rate, headers, method, body };
const { statuses, errors, latency } = rate ? await openLoop(job) : await closedLoop(job);
const expected = expect.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
process.stdout.write(
  JSON.stringify({
    operations: expected,
    failures: total - expected + errors,
    statuses,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    p999Ms: latency.p99_9,
  }),
);

async function closedLoop({ url, seconds, connections, headers, method, body }) {
  const instance = autocannon({
    url,
    duration: seconds,
    connections,
    headers,
    method,
    body,
    timeout: 30,
  });
  const statuses = {};
  instance.on('response', (_client, status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  const { latency, errors, timeouts } = await instance;
  return { statuses, errors: errors + timeouts, latency };
}
