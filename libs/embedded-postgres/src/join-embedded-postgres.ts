import { resolve } from 'node:path';
import { type ClusterOptions, findCluster, initialiseCluster } from './cluster.ts';
import { databaseUrl, ensureDatabase } from './database.ts';
import { joinServer, type ServerKind } from './join-server.ts';
import { becomesReady, startPostgres, stopPostgres } from './server.ts';

export interface JoinOptions extends ClusterOptions {
  /** Created when it is not there. */
  readonly database: string;
  /** Told in one line what takes a while. */
  readonly log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  readonly url: string;
  /** The last living process that leaves stops the server. */
  leave(): Promise<void>;
}

/** Starts the cluster in `dataDir`, or joins the one that runs there; it stops when the last process that joined has left. */
export async function joinEmbeddedPostgres(options: JoinOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const log = options.log ?? (() => undefined);
  const kind: ServerKind = {
    start: async (record, lastPort) => {
      const began = Date.now();
      const cluster = findCluster({ ...options, dataDir });
      await initialiseCluster(cluster);
      const server = await startPostgres(cluster, record, lastPort);
      log(
        `PostgreSQL 18 started in ${dataDir} on 127.0.0.1:${server.port} (${Date.now() - began} ms)`,
      );
      return server;
    },
    answers: (server) => becomesReady(findCluster({ ...options, dataDir }), server),
    stop: async (server) => {
      await stopPostgres(server);
      log(`PostgreSQL in ${dataDir} stopped`);
    },
  };
  const { server, leave } = await joinServer(dataDir, kind);
  try {
    const { password } = findCluster({ ...options, dataDir });
    const access = { port: server.port, password };
    await ensureDatabase(access, options.database);
    return { url: databaseUrl(access, options.database), leave };
  } catch (error) {
    await leave();
    throw error;
  }
}
