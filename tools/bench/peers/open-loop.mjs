// An open loop: requests are due at random moments (a Poisson process), whether or not earlier ones are answered, and latency
// counts from when a request was due. A stall is thus seen by every request that it would have met. The first second, in which
// this program is not compiled yet, is not counted.
import { Pool } from 'undici';

const WARM_UP_MS = 1_000;

/** Runs the job of load.mjs that has a `rate`; resolves to statuses and latencies in ms. */
export async function openLoop({ url, seconds, connections, rate, headers, method, body }) {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const request = { path: pathname + search, method, headers, body };
  const latencies = [];
  const statuses = {};
  let errors = 0;
  let underWay = 0;
  const countsFrom = performance.now() + WARM_UP_MS;
  const endsAt = countsFrom + seconds * 1_000;
  const send = (dueAt) => {
    underWay++;
    let status = 0;
    const done = () => {
      underWay--;
      if (dueAt < countsFrom) return;
      latencies.push(performance.now() - dueAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    pool.dispatch(request, {
      onConnect: () => undefined,
      onHeaders: (code) => {
        status = code;
        return true;
      },
      onData: () => true,
      onComplete: done,
      onError: () => {
        underWay--;
        errors++;
      },
    });
  };
  let dueAt = performance.now();
  await new Promise((resolve) => {
    const tick = () => {
      const now = performance.now();
      for (; dueAt <= now && dueAt < endsAt; dueAt += (-Math.log(1 - Math.random()) / rate) * 1_000)
        send(dueAt);
      if (dueAt < endsAt) setTimeout(tick, 1);
      else resolve();
    };
    tick();
  });
  const patience = performance.now() + 30_000;
  while (underWay > 0 && performance.now() < patience)
    await new Promise((resolve) => setTimeout(resolve, 5));
  errors += underWay;
  await pool.destroy();
  latencies.sort((a, b) => a - b);
  const quantile = (share) =>
    Math.round((latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN) * 100) / 100;
  return {
    statuses,
    errors,
    latency: { p50: quantile(0.5), p99: quantile(0.99), p99_9: quantile(0.999) },
  };
}
