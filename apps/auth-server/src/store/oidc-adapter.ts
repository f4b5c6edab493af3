import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { fromMetadata } from '../clients/client-metadata.ts';
import type { ClientRegistry } from '../clients/client-registry.service.ts';
import { judgeClient } from '../clients/client-rules.ts';
import {
  hashId,
  hashUserCode,
  type Payload,
  type RecordSecrets,
  tokenValueOf,
  toPayload,
  toRow,
} from './record.ts';
import type { RecordReadsRepository } from './record-reads.repository.ts';
import type { RecordsRepository } from './records.repository.ts';
import type { RequestWork } from './request-work.ts';
import type { StoredRecord } from './stored-record.ts';

export interface AdapterParts {
  readonly records: RecordsRepository;
  readonly reads: RecordReadsRepository;
  readonly clients: ClientRegistry;
  readonly secrets: RecordSecrets;
  /** Seconds from the sign-in to the end of a family of refresh tokens. */
  readonly refreshAbsoluteTtlSeconds: number;
  /** The work of the running request, where its writes are gathered. */
  readonly work: () => RequestWork | undefined;
  /** The interaction that the running request comes back from, and that will be asked for after its session. */
  readonly interactionToCome: () => string | undefined;
  /** The running request answers at the token endpoint. */
  readonly isTokenRequest: () => boolean;
  /** Throws where a used refresh token is answered with its successor. */
  readonly refuseWithinGrace: (consumedAt: Date, payload: Payload) => void;
  readonly now: () => number;
}

/** What is written when the request is done, where requests gather. */
const GATHERED = new Set(['Session', 'Interaction', 'Grant', 'AuthorizationCode']);

/** What is written together with the use of what it was redeemed for. */
const ISSUED = new Set(['AccessToken', 'RefreshToken']);

/** What is exchanged for tokens at the token endpoint. */
const REDEEMABLE = new Set(['AuthorizationCode', 'RefreshToken', 'DeviceCode']);

/** What is read with what it hangs on, because the request goes on to that. */
const WITH_FAMILY = new Set(['Interaction', 'Session']);

/** How long a redeemed code is kept, so that a second use is recognised and revokes what the first one got. */
const USED_KEPT_SECONDS = 3600;

/** The store that oidc-provider asks for, one instance a model. */
export class OidcAdapter implements Adapter {
  constructor(
    private readonly kind: string,
    private readonly parts: AdapterParts,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { records, clients, secrets, now } = this.parts;
    if (this.kind === 'Client') {
      refuseFaulty(payload as Payload);
      return clients.saveRegistered(id, payload as Payload);
    }
    const expiresAt = new Date(now() + (expiresIn ?? 0) * 1000);
    const row = toRow({ kind: this.kind, id, payload: payload as Payload, expiresAt }, secrets);
    const work = this.parts.work();
    if (work && row.grantId && ISSUED.has(this.kind)) work.addToken(row);
    else if (work && GATHERED.has(this.kind)) work.write(row);
    else await records.write([row]);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (this.kind === 'Client')
      return (await this.parts.clients.find(id))?.metadata as AdapterPayload;
    const found = await this.read(hashId(tokenValueOf(id)));
    if (this.kind === 'RefreshToken' && found?.consumedAt)
      this.parts.refuseWithinGrace(found.consumedAt, found.payload);
    return this.toLibrary(found, id);
  }

  /** The session's cookie value is not known here; callers of this only read. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const { reads, work } = this.parts;
    const found = work()?.recallSession(uid) ?? (await reads.findByUid(uid));
    return this.toLibrary(found, undefined);
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const { reads, secrets } = this.parts;
    const found = await reads.findByUserCode(hashUserCode(userCode, secrets.userCodeKeys));
    return this.toLibrary(found, undefined);
  }

  /**
   * The library looks whether something was used, then calls this and goes on whatever it returns. So the decision falls in one
   * statement: here, or for what is redeemed for tokens when these are written. Of ten requests with one code, nine fail.
   */
  async consume(id: string): Promise<void> {
    const { records, refreshAbsoluteTtlSeconds, now } = this.parts;
    const idHash = hashId(id);
    const work = this.isRedeemed ? this.parts.work() : undefined;
    if (work) {
      const seconds = this.kind === 'RefreshToken' ? refreshAbsoluteTtlSeconds : USED_KEPT_SECONDS;
      work.redeemed = { kind: this.kind, id: idHash, keepUntil: new Date(now() + seconds * 1000) };
      return;
    }
    if (await records.consume(this.kind, idHash)) return;
    if (this.kind === 'PushedAuthorizationRequest')
      throw new errors.InvalidRequestUri('request_uri was already used');
    throw new errors.InvalidGrant('already used by another request');
  }

  async destroy(id: string): Promise<void> {
    if (this.kind === 'Client') return this.parts.clients.removeRegistered(id);
    const idHash = hashId(tokenValueOf(id));
    const work = GATHERED.has(this.kind) ? this.parts.work() : undefined;
    if (work) work.delete(this.kind, idHash);
    else await this.parts.records.destroy(this.kind, idHash);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.parts.records.revokeGrant(hashId(grantId), grantId);
  }

  private get isRedeemed(): boolean {
    return REDEEMABLE.has(this.kind) && this.parts.isTokenRequest();
  }

  /** What the request itself wrote or read ahead comes first. What it goes on to is read along, an interaction with the session. */
  private async read(idHash: Buffer): Promise<StoredRecord | undefined> {
    const { reads } = this.parts;
    const work = this.parts.work();
    const known = work?.recall(this.kind, idHash);
    if (known) return known === 'gone' ? undefined : known;
    if (!work || !(this.isRedeemed || WITH_FAMILY.has(this.kind)))
      return reads.find(this.kind, idHash);
    const soon = this.kind === 'Session' ? this.parts.interactionToCome() : undefined;
    const [family, next] = await Promise.all([
      reads.findWithFamily(this.kind, idHash),
      soon && reads.findWithFamily('Interaction', hashId(soon)),
    ]);
    if (next) {
      work.keep('Interaction', next.record);
      work.readAhead(next);
    }
    if (family) work.readAhead(family);
    return family?.record;
  }

  private toLibrary(
    found: StoredRecord | undefined,
    id: string | undefined,
  ): AdapterPayload | undefined {
    const { secrets } = this.parts;
    return found && (toPayload({ kind: this.kind, ...found }, id, secrets) as AdapterPayload);
  }
}

/** A client that registers itself is held to the rules that operators are held to. */
function refuseFaulty(metadata: Payload): void {
  const text = JSON.stringify(metadata);
  if (/\\u0000|\\ud[89a-f]/i.test(text))
    throw new errors.InvalidClientMetadata(
      'metadata must be well-formed text without null characters',
    );
  const [fault] = judgeClient({ ...fromMetadata(metadata), apiScopes: [], introspects: [] });
  if (fault) throw new errors.InvalidClientMetadata(`${fault.pointer.slice(1)} ${fault.detail}`);
}
