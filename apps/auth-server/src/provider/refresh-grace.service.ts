import { hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { ENV } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import { Sealing } from '../keys/sealing.ts';
import { hashId } from '../store/record.ts';
import { RecordStore } from '../store/record-store.ts';

/** A rotated token came again within the window; what it led to is answered instead of an alarm. */
export class WithinGrace extends errors.InvalidGrant {}

interface Successor {
  readonly answer: { expires_in: number };
  readonly issuedAtMs: number;
}

const POLL_MS = 25;
const WAIT_MS = 2_000;

/**
 * The grace window of refresh tokens (REFRESH_GRACE_S, off by default): several tabs, or a retry after an answer that got lost,
 * send the same token twice. Within the window both get the same answer. There is never a second successor, and after the window
 * the family ends as always. The answer waits in the row of the old token, sealed with that token: the database alone opens nothing.
 */
@Injectable()
export class RefreshGrace {
  constructor(
    private readonly store: RecordStore,
    @Inject(ENV) private readonly env: Pick<AuthEnv, 'REFRESH_GRACE_S'>,
  ) {}

  get isOn(): boolean {
    return this.env.REFRESH_GRACE_S > 0;
  }

  /** Whether a token used at `consumedAt` is answered again. Tokens bound to a key are not: their holder proves himself anew. */
  applies(consumedAt: Date, payload: { jkt?: unknown }, now: number): boolean {
    return (
      this.isOn &&
      payload.jkt === undefined &&
      now - consumedAt.getTime() < this.env.REFRESH_GRACE_S * 1000
    );
  }

  /** At the token endpoint: keeps the answer of a rotation, and gives it again where the window applies. */
  async conclude(ctx: KoaContextWithOIDC): Promise<void> {
    if (ctx.oidc?.route !== 'token' || ctx.oidc.params?.['grant_type'] !== 'refresh_token') return;
    const token = ctx.oidc.params['refresh_token'];
    if (typeof token !== 'string') return;
    if (ctx.status === 200 && ctx.oidc.entities.RotatedRefreshToken) {
      await this.keep(token, ctx.body as Successor['answer']);
    } else if (refused.has(ctx)) {
      const answer = await this.recall(token, ctx.oidc.client?.clientId);
      if (!answer) return;
      ctx.status = 200;
      ctx.body = answer;
    }
  }

  /** Notes, when the library answers with the error, that it was this one. */
  noteRefusal(ctx: KoaContextWithOIDC, error: unknown): void {
    if (error instanceof WithinGrace) refused.add(ctx);
  }

  private async keep(token: string, answer: Successor['answer']): Promise<void> {
    const successor: Successor = { answer, issuedAtMs: Date.now() };
    const sealed = sealingOf(token).seal(JSON.stringify(successor), 'successor', randomBytes(12));
    await this.store.records.keepSuccessor(hashId(token), sealed.toString('base64'));
  }

  /** The same answer again, once the request that rotates has given it. */
  private async recall(token: string, clientId: string | undefined) {
    for (const deadline = Date.now() + WAIT_MS; ; ) {
      const found = await this.store.reads.find('RefreshToken', hashId(token));
      if (!found || found.payload['clientId'] !== clientId) return undefined;
      const sealed = found.payload['successor'];
      if (typeof sealed === 'string') {
        const opened = sealingOf(token).open(Buffer.from(sealed, 'base64'), 'successor');
        const { answer, issuedAtMs } = JSON.parse(opened) as Successor;
        const ageSeconds = Math.floor((Date.now() - issuedAtMs) / 1000);
        return { ...answer, expires_in: Math.max(1, answer.expires_in - ageSeconds) };
      }
      if (Date.now() > deadline) return undefined;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

const refused = new WeakSet<object>();

function sealingOf(token: string): Sealing {
  const key = Buffer.from(hkdfSync('sha256', token, '', 'gatepost refresh grace', 32));
  return new Sealing([key], 'successor');
}
