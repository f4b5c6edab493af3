/** An application without a person, as an operator registers it at the auth-server's management door. */
export class Machine {
  private constructor(private readonly credentials: string) {}

  static async register(managementPort: number, managementToken: string): Promise<Machine> {
    const answer = await fetch(`http://127.0.0.1:${managementPort}/admin/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${managementToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'A machine',
        clientId: 'machine',
        grantTypes: ['client_credentials'],
        apiScopes: ['links:read', 'links:write'],
      }),
    });
    const { clientSecret } = (await answer.json()) as { clientSecret: string };
    return new Machine(Buffer.from(`machine:${clientSecret}`).toString('base64'));
  }

  /** Gets an access token at `door`, where `/auth` is served. */
  async token(door: string): Promise<string> {
    const answer = await this.post(`${door}/auth/token`, {
      grant_type: 'client_credentials',
      scope: 'links:read links:write',
    });
    const { access_token: token } = (await answer.json()) as { access_token?: string };
    if (!token) throw new Error(`no token: ${answer.status}`);
    return token;
  }

  async revoke(door: string, token: string): Promise<void> {
    const answer = await this.post(`${door}/auth/revoke`, { token });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`not revoked: ${answer.status}`);
  }

  private post(url: string, fields: Record<string, string>): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${this.credentials}` },
      body: new URLSearchParams(fields),
    });
  }
}
