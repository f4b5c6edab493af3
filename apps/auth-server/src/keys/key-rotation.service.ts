import { Inject, Injectable } from '@nestjs/common';
import { ENV } from '../app.tokens.ts';
import { AuditLog } from '../audit/audit-log.service.ts';
import type { AuthEnv } from '../env.ts';
import { generateSigningKey } from './generate-key.ts';
import { type SigningKeysChange, SigningKeysRepository } from './signing-keys.repository.ts';
import {
  isDue,
  isSpent,
  mayFirstSignAt,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
  type SigningKey,
  stateOf,
} from './signing-keys.ts';

/** What clients may cache the JWKS for. */
export const JWKS_MAX_AGE_SECONDS = 300;

/**
 * Keeps, for every algorithm, a key that signs and a next one that is published already. Rotation lets the next one sign; the one
 * before it verifies until what it signed has expired. All processes follow: none has keys of its own.
 */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly keys: SigningKeysRepository,
    @Inject(ENV) private readonly env: AuthEnv,
    private readonly audit: AuditLog,
  ) {}

  /** Creates what is missing, rotates what is due, removes what is spent. True when anything changed. */
  async maintain(now: Date): Promise<boolean> {
    const found = await this.keys.findAll();
    if (!this.needsWork(found, now)) return false;
    return this.keys.change(async (change) => {
      const keys = await change.findAll();
      if (!this.needsWork(keys, now)) return false;
      for (const alg of SIGNING_ALGORITHMS) {
        const ofAlg = keys.filter((key) => key.alg === alg);
        await this.complete(change, ofAlg, alg, now);
        const current = ofAlg.find((key) => stateOf(key, now) === 'current');
        if (current && !current.retiredAt && isDue(current, this.env.KEY_ROTATION_S, now))
          await this.promote(change, ofAlg, now, false);
      }
      for (const key of keys.filter((key) => isSpent(key, this.longestTokenSeconds, now))) {
        await change.remove(key.kid);
        this.audit.record('signing-key.removed', { kid: key.kid, alg: key.alg });
      }
      await change.reseal();
      await change.announce();
      return true;
    });
  }

  /**
   * Lets the next keys sign: at once when they have been published for as long as a JWKS may be cached, or `immediately` (a key
   * leaked), else as soon as they have.
   */
  async rotate(now: Date, options: { immediately: boolean }): Promise<void> {
    await this.keys.change(async (change) => {
      const keys = await change.findAll();
      for (const alg of SIGNING_ALGORITHMS) {
        const ofAlg = keys.filter((key) => key.alg === alg);
        await this.promote(change, ofAlg, now, options.immediately);
      }
      await change.reseal();
      await change.announce();
    });
  }

  private needsWork(keys: readonly SigningKey[], now: Date): boolean {
    return (
      keys.some((key) => isSpent(key, this.longestTokenSeconds, now)) ||
      SIGNING_ALGORITHMS.some((alg) => {
        const states = new Map(
          keys.filter((key) => key.alg === alg).map((key) => [stateOf(key, now), key]),
        );
        const current = states.get('current');
        if (!current || !states.has('next')) return true;
        return !current.retiredAt && isDue(current, this.env.KEY_ROTATION_S, now);
      })
    );
  }

  private async complete(
    change: SigningKeysChange,
    keys: readonly SigningKey[],
    alg: SigningAlgorithm,
    now: Date,
  ): Promise<void> {
    const has = (state: string) => keys.some((key) => stateOf(key, now) === state);
    if (!has('current')) await this.create(change, alg, now, now);
    if (!has('next')) await this.create(change, alg, now, null);
  }

  private async promote(
    change: SigningKeysChange,
    keys: readonly SigningKey[],
    now: Date,
    immediately: boolean,
  ): Promise<void> {
    const next = keys.find((key) => stateOf(key, now) === 'next');
    const current = keys.find((key) => stateOf(key, now) === 'current');
    if (!next || !current) return;
    const earliest = mayFirstSignAt(next, current, JWKS_MAX_AGE_SECONDS);
    const signsFrom = immediately || earliest < now ? now : earliest;
    await change.schedule(next.kid, signsFrom);
    await change.retire(current.kid, signsFrom);
    if (signsFrom <= now) await this.create(change, next.alg, now, null);
    this.audit.record('signing-key.rotated', {
      alg: next.alg,
      from: current.kid,
      to: next.kid,
      signsFrom: signsFrom.toISOString(),
    });
  }

  private async create(
    change: SigningKeysChange,
    alg: SigningAlgorithm,
    now: Date,
    signsFrom: Date | null,
  ): Promise<void> {
    const key = await generateSigningKey(alg);
    await change.add(key, now, signsFrom);
    this.audit.record('signing-key.created', { kid: key.kid, alg });
  }

  private get longestTokenSeconds(): number {
    return Math.max(this.env.ID_TOKEN_TTL_S, this.env.ACCESS_TOKEN_TTL_S);
  }
}
