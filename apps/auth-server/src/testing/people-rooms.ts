import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createLogger, createMetrics } from '@gatepost/service-kit';
import { AccountsRepository } from '../accounts/accounts.repository.ts';
import { AccountsService } from '../accounts/accounts.service.ts';
import { AttemptCounts } from '../accounts/attempt-counts.service.ts';
import { AttemptsRepository } from '../accounts/attempts.repository.ts';
import { PasswordDoor } from '../accounts/password-door.service.ts';
import { PasswordHasher } from '../accounts/password-hasher.service.ts';
import { AuditLog } from '../audit/audit-log.service.ts';
import { testEnv } from './protocol-server.ts';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The rooms of people on a real database, put together as Nest would; several are several processes. */
export interface PeopleRooms {
  readonly pool: Pool;
  readonly accounts: AccountsRepository;
  readonly service: AccountsService;
  readonly attempts: AttemptsRepository;
  readonly door: PasswordDoor;
  readonly hasher: PasswordHasher;
  /** What was logged. */
  readonly lines: string[];
  close(): Promise<void>;
}

export async function openPeopleRooms(
  url: string,
  overrides: Record<string, string> = {},
): Promise<PeopleRooms> {
  await migrate({ url, folder: MIGRATIONS });
  const env = testEnv(url, overrides);
  const pool = openPool({ url, applicationName: 'spec', maxConnections: 8 });
  const lines: string[] = [];
  const logger = createLogger({
    name: 'auth-server',
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const audit = new AuditLog(logger, createMetrics('auth-server'));
  const accounts = new AccountsRepository(pool);
  const attempts = new AttemptsRepository(pool, env);
  const counts = new AttemptCounts(attempts, env);
  const hasher = new PasswordHasher(env);
  const door = new PasswordDoor(accounts, counts, hasher, audit);
  await door.onModuleInit();
  return {
    pool,
    accounts,
    service: new AccountsService(accounts, hasher, counts, audit),
    attempts,
    door,
    hasher,
    lines,
    close: () => pool.end(),
  };
}
