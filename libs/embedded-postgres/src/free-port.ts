import { type AddressInfo, createServer } from 'node:net';

/** A free port of 127.0.0.1: the wished one where it is free, so that an address that somebody noted stays true; else any. */
export async function findFreePort(wished?: number): Promise<number> {
  const port = (wished && (await probePort(wished))) || (await probePort(0));
  if (port === undefined) throw new Error('No port is free on 127.0.0.1.');
  return port;
}

function probePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const { port: bound } = probe.address() as AddressInfo;
      probe.close(() => resolve(bound));
    });
  });
}
