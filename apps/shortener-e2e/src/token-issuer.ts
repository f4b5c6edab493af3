import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';

export interface TokenWishes {
  readonly sub?: string;
  readonly clientId?: string;
  readonly scope?: string;
  readonly audience?: string;
  readonly issuer?: string;
  readonly type?: string;
  readonly lifetimeSeconds?: number;
}

/** A small authorization server: what the service needs of one is discovery, keys, and tokens signed with them. */
export class TokenIssuer {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  private constructor(
    private readonly server: Server,
    readonly internalUrl: string,
    /** `{base_url}`: the issuer is `{base_url}/auth`, the audience `{base_url}`. */
    private readonly publicUrl: string,
  ) {}

  static async start(publicUrl: string): Promise<TokenIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const issuer = new TokenIssuer(server, `http://127.0.0.1:${port}/auth`, publicUrl);
    server.on('request', (request, response) => {
      const document = issuer.documents[request.url ?? ''];
      response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document ?? {}));
    });
    return issuer;
  }

  private get issuer(): string {
    return `${this.publicUrl}/auth`;
  }

  private get documents(): Record<string, unknown> {
    const jwk = this.keys.publicKey.export({ format: 'jwk' });
    return {
      '/auth/.well-known/openid-configuration': {
        issuer: this.issuer,
        jwks_uri: `${this.issuer}/jwks`,
      },
      '/auth/jwks': { keys: [{ ...jwk, kid: 'key-1', alg: 'ES256', use: 'sig' }] },
    };
  }

  /** An access token (RFC 9068). */
  token(wishes: TokenWishes = {}): string {
    const {
      sub = 'alice',
      clientId = 'web',
      scope = 'links:read links:write',
      audience = this.publicUrl,
      issuer = this.issuer,
      type = 'at+jwt',
      lifetimeSeconds = 300,
    } = wishes;
    const now = Math.floor(Date.now() / 1_000);
    const header = { alg: 'ES256', typ: type, kid: 'key-1' };
    const claims = {
      iss: issuer,
      sub,
      client_id: clientId,
      aud: audience,
      scope,
      iat: now,
      exp: now + lifetimeSeconds,
      jti: randomUUID(),
    };
    const signed = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(signed), {
      key: this.keys.privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${signed}.${signature.toString('base64url')}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
