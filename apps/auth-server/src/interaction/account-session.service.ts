import { Inject, Injectable } from '@nestjs/common';
import type { Provider } from 'oidc-provider';
import { AccessRepository } from '../accounts/access.repository.ts';
import type { Account } from '../accounts/account.ts';
import { AccountsService } from '../accounts/accounts.service.ts';
import { PASSWORD_ACR, PASSWORD_AMR } from '../accounts/claims.ts';
import { describeBrowser } from '../accounts/visitor.ts';
import { ENV } from '../app.tokens.ts';
import { type AuthEnv, addressesOf } from '../env.ts';
import { cookieSettings } from '../provider/cookies.ts';
import { OidcProvider } from '../provider/oidc-provider.service.ts';
import type { Exchange } from './browsers.service.ts';
import { accountPaths } from './paths.ts';

/** The person of a session, on their own pages. */
export interface SignedIn {
  readonly account: Account;
  readonly sessionUid: string;
}

type ProtocolSession = InstanceType<Provider['Session']>;

/** Writes signed cookies as the protocol does. */
interface CookieJar {
  /** Believed over what the connection looks like: TLS ends in front of us. */
  secure: boolean;
  set(name: string, value: string, options: object): void;
}

/** The protocol's session on pages that no application asked for: who is signed in here, and signing in without one. */
@Injectable()
export class AccountSession {
  readonly paths: ReturnType<typeof accountPaths>;
  private readonly cookie: { readonly secure?: boolean | undefined };
  private readonly ttlSeconds: number;

  constructor(
    private readonly provider: OidcProvider,
    private readonly accounts: AccountsService,
    private readonly access: AccessRepository,
    @Inject(ENV) env: AuthEnv,
  ) {
    const addresses = addressesOf(env);
    this.paths = accountPaths(addresses.mount);
    this.cookie = cookieSettings(addresses, env.COOKIE_KEYS).long ?? {};
    this.ttlSeconds = env.SESSION_TTL_S;
  }

  /** Who is signed in in this browser; undefined when nobody is, or when the account may not be used any more. */
  async read(exchange: Exchange): Promise<SignedIn | undefined> {
    const { uid, accountId } = await this.find(exchange);
    const account = accountId ? await this.accounts.findUsable(accountId) : undefined;
    return account && { account, sessionUid: uid };
  }

  /** Begins a session, under an id that nobody can have planted before. */
  async begin(exchange: Exchange, account: Account, staysSignedIn: boolean): Promise<void> {
    const { request } = exchange;
    const found = await this.find(exchange);
    // What an account that may not be used any more has left behind is not carried over to this person.
    const session = found.accountId ? new this.provider.current.Session() : found;
    session.resetIdentifier();
    session.loginAccount({
      accountId: account.id,
      acr: PASSWORD_ACR,
      amr: [...PASSWORD_AMR],
      transient: !staysSignedIn,
    });
    await session.save(this.ttlSeconds);
    this.setCookie(exchange, session);
    await this.access.notePlace({
      accountId: account.id,
      sessionUid: session.uid,
      browser: describeBrowser(request.headers['user-agent'] ?? ''),
      address: request.ip,
    });
  }

  /** The session goes on under another id, for the person has proven again who they are. */
  async renew(exchange: Exchange): Promise<void> {
    const session = await this.find(exchange);
    session.resetIdentifier();
    await session.save(this.ttlSeconds);
    this.setCookie(exchange, session);
  }

  private setCookie(exchange: Exchange, session: ProtocolSession): void {
    const { current } = this.provider;
    const cookies = current.createContext(exchange.request.raw, exchange.reply.raw)
      .cookies as unknown as CookieJar;
    cookies.secure = this.cookie.secure === true;
    cookies.set(current.cookieName('session'), session.jti, {
      ...this.cookie,
      ...(session.transient ? {} : { expires: new Date(session.exp * 1000) }),
    });
  }

  private find({ request, reply }: Exchange): Promise<ProtocolSession> {
    const { current } = this.provider;
    type Context = Parameters<typeof current.Session.get>[0];
    // All that the library reads of a context outside of its own routes.
    return current.Session.get({ req: request.raw, res: reply.raw } as unknown as Context);
  }
}
