import { Injectable } from '@nestjs/common';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import type { Account } from '../accounts/account.ts';
import { PASSWORD_ACR, PASSWORD_AMR } from '../accounts/claims.ts';
import { NOTHING_ALLOWED } from '../accounts/consent-record.ts';
import { OidcProvider } from '../provider/oidc-provider.service.ts';
import { PageWork } from '../provider/page-work.service.ts';
import { RequestWork } from '../store/request-work.ts';
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
  /** What was read with it and what will be written. */
  readonly work: RequestWork;
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
    private readonly pages: PageWork,
    private readonly browsers: Browsers,
  ) {}

  /** The interaction that the path names, if this browser holds its cookie. */
  async open({ request, reply }: Exchange, uid: string): Promise<OpenInteraction> {
    const provider = this.provider.current;
    const work = new RequestWork();
    const protocol = await this.pages
      .within(work, () => provider.interactionDetails(request.raw, reply.raw))
      .catch(asGone);
    if (protocol.uid !== uid) throw new InteractionGone();
    const client = await provider.Client.find(String(protocol.params['client_id']));
    if (!client) throw new InteractionGone();
    const { prompt, session, lastSubmission, deviceCode, params } = protocol;
    const redirectUri = deviceCode ? undefined : params['redirect_uri'];
    return {
      uid,
      protocol,
      work,
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
  personOf({ accountId, work }: OpenInteraction): Account | undefined {
    const account = accountId === undefined ? undefined : work.recallPerson(accountId)?.account;
    return account?.disabled ? undefined : account;
  }

  /** The person has proven who they are. Returns where the browser goes on. */
  async signIn(
    interaction: OpenInteraction,
    login: { accountId: string; staysSignedIn: boolean; at: Date },
  ): Promise<string> {
    return this.answer(interaction, {
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
  async keepAccount(interaction: OpenInteraction): Promise<string> {
    return this.proceed(interaction, { select_account: {} });
  }

  /** The person allows what is missing; it is remembered beyond this session. */
  async allow(interaction: OpenInteraction): Promise<string> {
    const { clientId, accountId, protocol, work } = interaction;
    if (accountId === undefined) throw new InteractionGone();
    const { Grant } = this.provider.current;
    const { grantId } = protocol;
    const found = grantId && (await this.pages.within(work, () => Grant.find(grantId)));
    const grant = found || new Grant({ accountId, clientId });
    if (grant.accountId !== accountId || grant.clientId !== clientId) throw new InteractionGone();
    const missing = toMissing(protocol.prompt.details as MissingDetails);
    if (missing.oidcScopes.length > 0) grant.addOIDCScope(missing.oidcScopes.join(' '));
    if (missing.oidcClaims.length > 0) grant.addOIDCClaims([...missing.oidcClaims]);
    for (const [indicator, scopes] of Object.entries(missing.resourceScopes))
      grant.addResourceScope(indicator, scopes.join(' '));
    // Without a grant to begin with nothing was remembered either: the protocol would have made one of it.
    const earlier = grantId ? work.recallPerson(accountId)?.consent : undefined;
    const allowed = mergeAllowed(earlier ?? NOTHING_ALLOWED, ofGrant(grant));
    work.consent = { accountId, clientId, allowed };
    const saved = await this.pages.within(work, () => grant.save());
    return this.proceed(interaction, { consent: { grantId: saved } });
  }

  /** The interaction ends without what the application wanted; it is told why. */
  async end(interaction: OpenInteraction, error: string, description: string): Promise<string> {
    return this.answer(interaction, { error, error_description: description });
  }

  /** Adds to what the person has answered before in this interaction. Returns where the browser goes on. */
  private proceed(interaction: OpenInteraction, result: InteractionResults): Promise<string> {
    return this.answer(interaction, { ...interaction.protocol.lastSubmission, ...result });
  }

  /** While a password was hashed the interaction may have ended in another tab: the answer is written only if it is still there. */
  private async answer(
    { protocol, work }: OpenInteraction,
    result: InteractionResults,
  ): Promise<string> {
    protocol.result = result;
    await this.pages.within(work, () => protocol.persist());
    if (!(await this.pages.write(work))) throw new InteractionGone();
    return protocol.returnTo;
  }
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
