import { Injectable } from '@nestjs/common';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import type { Account } from '../accounts/account.ts';
import { AccountsService } from '../accounts/accounts.service.ts';
import { PASSWORD_ACR, PASSWORD_AMR } from '../accounts/claims.ts';
import { NOTHING_ALLOWED } from '../accounts/consent-record.ts';
import { ConsentsRepository } from '../accounts/consents.repository.ts';
import { OidcProvider } from '../provider/oidc-provider.service.ts';
import { Browsers, type Exchange } from './browsers.service.ts';
import { type ClientFacts, toClientFace } from './client-face.ts';
import { type Allowed, type MissingDetails, mergeAllowed, toMissing } from './consent.ts';
import { chooseStep, type Step } from './next-step.ts';
import { InteractionGone } from './page-errors.ts';
import type { ClientFace } from './views/consent-page.ts';

type ProtocolInteraction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** An interaction of this browser, with what its pages show. */
export interface OpenInteraction {
  readonly uid: string;
  readonly protocol: ProtocolInteraction;
  readonly client: ClientFace;
  readonly clientId: string;
  readonly step: Step;
  /** Signed in already, in the session that the interaction began with. */
  readonly accountId: string | undefined;
}

/** The protocol's interactions: what it wants of a person, and how it hears of the answer. */
@Injectable()
export class Interactions {
  constructor(
    private readonly provider: OidcProvider,
    private readonly accounts: AccountsService,
    private readonly consents: ConsentsRepository,
    private readonly browsers: Browsers,
  ) {}

  /** The interaction that the path names, if this browser holds its cookie. */
  async open({ request, reply }: Exchange, uid: string): Promise<OpenInteraction> {
    const provider = this.provider.current;
    const protocol = await provider.interactionDetails(request.raw, reply.raw).catch(asGone);
    if (protocol.uid !== uid) throw new InteractionGone();
    const client = await provider.Client.find(String(protocol.params['client_id']));
    if (!client) throw new InteractionGone();
    const { prompt, session, lastSubmission, deviceCode, params } = protocol;
    const redirectUri = deviceCode ? undefined : params['redirect_uri'];
    return {
      uid,
      protocol,
      client: toClientFace(client as ClientFacts, redirectUri),
      clientId: client.clientId,
      accountId: session?.accountId,
      step: chooseStep(
        {
          prompt,
          hasSession: session?.accountId !== undefined,
          hasSignedIn: lastSubmission?.['login'] !== undefined,
        },
        PASSWORD_ACR,
      ),
    };
  }

  /** As `open`, for a form: it has to be one of this interaction's own. */
  async openForm(exchange: Exchange, uid: string): Promise<OpenInteraction> {
    const interaction = await this.open(exchange, uid);
    this.browsers.checkForm(exchange.request, { interaction: interaction.uid });
    return interaction;
  }

  /** The person of the session that the interaction began with. */
  async personOf({ accountId }: OpenInteraction): Promise<Account | undefined> {
    return accountId === undefined ? undefined : this.accounts.findUsable(accountId);
  }

  /** The person has proven who they are. Returns where the browser goes on. */
  async signIn(
    exchange: Exchange,
    login: { accountId: string; staysSignedIn: boolean; at: Date },
  ): Promise<string> {
    return this.finish(exchange, {
      login: {
        accountId: login.accountId,
        acr: PASSWORD_ACR,
        amr: [...PASSWORD_AMR],
        remember: login.staysSignedIn,
        // Said explicitly: the library would take the moment of the consent that may follow for the sign-in.
        ts: Math.floor(login.at.getTime() / 1000),
      },
      // Whoever signs in has chosen an account, and needs no new one.
      create: {},
      select_account: {},
    });
  }

  /** The person goes on with the account they are signed in with. */
  async keepAccount({ protocol }: OpenInteraction): Promise<string> {
    return proceed(protocol, { select_account: {} });
  }

  /** The person allows what is missing; it is remembered beyond this session. */
  async allow({ clientId, accountId, protocol }: OpenInteraction): Promise<string> {
    if (accountId === undefined) throw new InteractionGone();
    const { Grant } = this.provider.current;
    const { grantId } = protocol;
    const grant = (grantId && (await Grant.find(grantId))) || new Grant({ accountId, clientId });
    if (grant.accountId !== accountId || grant.clientId !== clientId) throw new InteractionGone();
    const missing = toMissing(protocol.prompt.details as MissingDetails);
    if (missing.oidcScopes.length > 0) grant.addOIDCScope(missing.oidcScopes.join(' '));
    if (missing.oidcClaims.length > 0) grant.addOIDCClaims([...missing.oidcClaims]);
    for (const [indicator, scopes] of Object.entries(missing.resourceScopes))
      grant.addResourceScope(indicator, scopes.join(' '));
    // Without a grant to begin with nothing was remembered either: the protocol would have made one of it.
    const earlier = grantId ? await this.consents.recall(accountId, clientId) : undefined;
    const allowed = mergeAllowed(earlier ?? NOTHING_ALLOWED, ofGrant(grant));
    if (!(await this.consents.remember(accountId, clientId, allowed))) throw new InteractionGone();
    return proceed(protocol, { consent: { grantId: await grant.save() } });
  }

  /** The interaction ends without what the application wanted; it is told why. */
  async end(exchange: Exchange, error: string, description: string): Promise<string> {
    return this.finish(exchange, { error, error_description: description });
  }

  /** Reads the interaction once more: while a password was hashed it may have ended in another tab. */
  private finish({ request, reply }: Exchange, result: InteractionResults): Promise<string> {
    return this.provider.current
      .interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false })
      .catch(asGone);
  }
}

/** Adds to what the person has answered before in this interaction. Returns where the browser goes on. */
async function proceed(protocol: ProtocolInteraction, result: InteractionResults): Promise<string> {
  protocol.result = { ...protocol.lastSubmission, ...result };
  await protocol.persist();
  return protocol.returnTo;
}

/** The cookie is missing, or the interaction is finished, expired, or of a session that has changed. */
function asGone(error: unknown): never {
  if (error instanceof errors.SessionNotFound) throw new InteractionGone({ cause: error });
  throw error;
}

function ofGrant(grant: InstanceType<Provider['Grant']>): Allowed {
  return {
    oidcScopes: grant.getOIDCScope().split(' ').filter(Boolean),
    oidcClaims: grant.getOIDCClaims(),
    resourceScopes: Object.fromEntries(
      Object.keys(grant.resources ?? {}).map((indicator) => [
        indicator,
        grant.getResourceScope(indicator).split(' ').filter(Boolean),
      ]),
    ),
  };
}
