import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ENV } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import { AccountsRepository } from './accounts.repository.ts';
import { PasswordHasher } from './password-hasher.service.ts';

const DEMO = {
  email: 'demo@example.com',
  password: 'correct-horse-battery',
  name: 'Demo User',
} as const;

/** The person of the quick start, created at start under DEMO=true. An account that is there already stays as it is. */
@Injectable()
export class DemoAccount implements OnApplicationBootstrap {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly hasher: PasswordHasher,
    @Inject(ENV) private readonly env: AuthEnv,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.env.DEMO || (await this.accounts.findByEmail(DEMO.email))) return;
    await this.accounts.create({
      email: DEMO.email,
      name: DEMO.name,
      passwordHash: await this.hasher.hash(DEMO.password),
      passwordIsTemporary: false,
    });
  }
}
