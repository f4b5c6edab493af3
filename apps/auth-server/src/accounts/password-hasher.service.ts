import { Inject, Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { ENV } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import { BoundedWork } from './bounded-work.ts';
import { PASSWORD_MAX, toPasswordBytes } from './new-password.ts';

/** What a password hash costs: memory in KiB, passes, lanes. */
export interface HashCost {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

/** argon2id as the OWASP password storage cheat sheet asks for: 19 MiB, two passes, one lane. */
export const OWASP_COST: HashCost = { memoryKiB: 19_456, passes: 2, lanes: 1 };

/**
 * Hashes and compares passwords, a bounded number at a time: every hash takes 19 MiB and a core for 40 ms, and anybody may
 * ask for one. Throws `TooBusy` beyond the bound.
 */
@Injectable()
export class PasswordHasher {
  private readonly work: BoundedWork;
  private readonly cost = OWASP_COST;
  private decoy: Promise<string> | undefined;

  constructor(@Inject(ENV) env: Pick<AuthEnv, 'PASSWORD_HASHES_AT_ONCE' | 'PASSWORD_QUEUE'>) {
    this.work = new BoundedWork({
      parallel: env.PASSWORD_HASHES_AT_ONCE,
      waiting: env.PASSWORD_QUEUE,
    });
  }

  /** The hash in PHC form, with its parameters and salt. */
  async hash(password: string): Promise<string> {
    return this.work.run(() => hash(toPasswordBytes(password), toOptions(this.cost)));
  }

  /** Whether the hash is of this password. Costs the same for a password that is too long to be anyone's. */
  async matches(stored: string, password: string): Promise<boolean> {
    const tooLong = [...password].length > PASSWORD_MAX;
    const bytes = toPasswordBytes(tooLong ? '' : password);
    return (await this.work.run(() => verify(stored, bytes))) && !tooLong;
  }

  /** A hash of nobody's password, compared with where there is no account: that takes as long as where there is one. */
  async decoyHash(): Promise<string> {
    this.decoy ??= this.hash(crypto.randomUUID());
    return this.decoy;
  }

  /** Whether the hash was made at another cost than today's. */
  isOutdated(stored: string): boolean {
    const { memoryKiB, passes, lanes } = this.cost;
    return !stored.startsWith(`$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$`);
  }
}

/** The package's `Algorithm` is a const enum, which modules compiled one by one cannot read. */
const ARGON2ID = 2;

function toOptions(cost: HashCost) {
  return {
    algorithm: ARGON2ID,
    memoryCost: cost.memoryKiB,
    timeCost: cost.passes,
    parallelism: cost.lanes,
  } as const;
}
