// Load from a process of its own, so that its CPU is nobody's. Reads a job from its argument, prints the outcome as JSON.
// With `rate` it is an open loop: latency counts from when a request was due (coordinated omission corrected).
import autocannon from 'autocannon';

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
const instance = autocannon({
  url,
  duration: seconds,
  connections,
  headers,
  method,
  body,
  timeout: 30,
  ...(rate ? { overallRate: rate } : {}),
});
const statuses = {};
instance.on('response', (_client, status) => {
  statuses[status] = (statuses[status] ?? 0) + 1;
});
const result = await instance;
const expected = expect.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
const total = Object.values(statuses).reduce((sum, count) => sum + count, 0);
process.stdout.write(
  JSON.stringify({
    operations: expected,
    failures: total - expected + result.errors + result.timeouts,
    statuses,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    p999Ms: result.latency.p99_9,
  }),
);
