import { Injectable } from '@nestjs/common';
import { AccessRepository, type SessionAuthorization } from '../accounts/access.repository.ts';
import { ConsentsRepository } from '../accounts/consents.repository.ts';
import { AuditLog } from '../audit/audit-log.service.ts';
import { GrantRevocation } from './grant-revocation.service.ts';

/** Ends what is open in a person's name: sessions, and what applications were allowed. */
@Injectable()
export class AccountAccess {
  constructor(
    private readonly access: AccessRepository,
    private readonly consents: ConsentsRepository,
    private readonly revocation: GrantRevocation,
    private readonly audit: AuditLog,
  ) {}

  /** Ends one session and what was opened with it; applications that were allowed to stay connected do. */
  async endSession(accountId: string, uid: string): Promise<boolean> {
    const ended = await this.access.endSessions(accountId, { uid });
    await this.closeAll(accountId, ended);
    return ended.length > 0;
  }

  /** Ends all sessions but the one to keep. */
  async endOtherSessions(accountId: string, keep: string | undefined): Promise<void> {
    await this.closeAll(accountId, await this.access.endSessions(accountId, { allBut: keep }));
  }

  /** Takes back what an application was allowed. Its tokens end with it. */
  async revokeApplication(accountId: string, clientId: string): Promise<void> {
    // First the consent: a request that comes in between has to ask again.
    await this.consents.forget(accountId, clientId);
    await this.revocation.revoke(await this.access.listGrants(accountId, clientId));
    this.audit.record('consent.withdrawn', { accountId, clientId });
  }

  async revokeAllApplications(accountId: string): Promise<void> {
    const applications = await this.consents.list(accountId);
    for (const { clientId } of applications) await this.revokeApplication(accountId, clientId);
    await this.revocation.revoke(await this.access.listGrants(accountId));
  }

  /** Ends everything, for an account that is disabled or deleted. */
  async endEverything(accountId: string): Promise<void> {
    await this.endOtherSessions(accountId, undefined);
    await this.revocation.revoke(await this.access.listGrants(accountId));
  }

  private async closeAll(accountId: string, sessions: SessionAuthorization[][]): Promise<void> {
    for (const authorizations of sessions) {
      this.audit.record('session.ended', { accountId });
      const bound = authorizations.filter(({ persistsLogout }) => !persistsLogout);
      await this.revocation.endTokens(bound.flatMap(({ grantId }) => grantId ?? []));
      await this.revocation.tellClients(accountId, authorizations);
    }
  }
}
