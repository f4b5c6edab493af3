import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import type { ConsentMemory, RememberedConsent } from './consent-memory.ts';

/**
 * The grant a request starts from: the one just consented to, the one of this session, or a new one of what was allowed before.
 * Every session has a grant of its own, so that ending one family of tokens leaves the other devices alone.
 */
export async function loadExistingGrant(
  ctx: KoaContextWithOIDC,
  memory: ConsentMemory,
): Promise<Grant | undefined> {
  const { provider, client, session, account, result } = ctx.oidc;
  if (!client || !account) return undefined;
  const grantId =
    (result?.['consent'] as { grantId?: string } | undefined)?.grantId ??
    session?.grantIdFor(client.clientId);
  const grant = grantId ? await provider.Grant.find(grantId) : undefined;
  // The session may have passed to another person; the library would call a grant of theirs an error.
  if (grant?.accountId === account.accountId && grant.clientId === client.clientId) return grant;
  const remembered = await memory.recall(account.accountId, client.clientId);
  if (!remembered) return undefined;
  const fresh = new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  fill(fresh, remembered);
  await fresh.save();
  return fresh;
}

function fill(grant: Grant, remembered: RememberedConsent): void {
  if (remembered.oidcScopes.length > 0) grant.addOIDCScope(remembered.oidcScopes.join(' '));
  if (remembered.oidcClaims.length > 0) grant.addOIDCClaims([...remembered.oidcClaims]);
  for (const [resource, scopes] of Object.entries(remembered.resourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
}
