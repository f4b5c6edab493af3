// Health check of the images: 0 when the app is ready, 1 otherwise. The base has neither a shell nor curl.
const defaultPorts = { 'gateway-limiter': 9080, 'auth-server': 9081, shortener: 9082 };
const port = process.env.MANAGEMENT_PORT || defaultPorts[process.env.GATEPOST_APP];
try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(2_000),
  });
  process.exit(answer.ok ? 0 : 1);
} catch {
  process.exit(1);
}
