export { findFreePort } from './free-port.ts';
export {
  type EmbeddedPostgres,
  type JoinOptions,
  joinEmbeddedPostgres,
} from './join-embedded-postgres.ts';
export {
  type JoinedServer,
  joinServer,
  type RunningServer,
  type ServerKind,
} from './join-server.ts';
export { withLock } from './lock.ts';
export { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';
