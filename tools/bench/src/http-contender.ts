import { type ChildServer, type LoadJob, runLoad, startServer } from './child-server.ts';
import type { Contender } from './measurement.ts';

export interface HttpContenderOptions {
  readonly name: string;
  readonly role: Contender['role'];
  /** What serves; more than one process where one is not enough. */
  readonly start: () => Promise<ChildServer>;
  readonly load: Omit<LoadJob, 'url' | 'seconds'> & { readonly path?: string };
}

/** A server under a closed loop of HTTP requests. */
export function httpContender({ name, role, start, load }: HttpContenderOptions): Contender {
  return {
    name,
    role,
    start: async () => {
      const server = await start();
      const { path = '/', ...job } = load;
      return {
        pids: [server.pid],
        work: (seconds) =>
          runLoad({ ...job, url: server.url + path, seconds: Math.max(1, Math.round(seconds)) }),
        stop: () => server.stop(),
      };
    },
  };
}

export const peer =
  (script: string, env: Readonly<Record<string, string>> = {}) =>
  () =>
    startServer(script, env);
