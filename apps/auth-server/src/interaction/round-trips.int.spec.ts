import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { type PeopleServer, startPeopleServer } from '../testing/people-server.ts';
import { Person } from '../testing/person.ts';
import { ProtocolClient } from '../testing/protocol-client.ts';

/**
 * Every statement takes a connection of the pool for itself. The fewest of three times: what the server does by itself (looks at
 * changes, leases places of the status list) may fall in between.
 */
async function countStatements(server: PeopleServer, work: () => Promise<unknown>) {
  const counts: number[] = [];
  for (let time = 0; time < 3; time++) {
    let statements = 0;
    const count = () => {
      statements++;
    };
    server.pool.on('acquire', count);
    await work().finally(() => server.pool.off('acquire', count));
    counts.push(statements);
  }
  return Math.min(...counts);
}

describeWith(['postgres'], 'round trips to the database', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let server: PeopleServer;
  let client: ProtocolClient;
  let person: Person;

  beforeAll(async () => {
    database = await createTestDatabase();
    // What looks at the database by itself looks rarely: it is not what is counted.
    const quiet = { DEMO: 'true', WATCH_INTERVAL_MS: '10000', PURGE_INTERVAL_S: '0' };
    server = await startPeopleServer(database.url, quiet);
    client = new ProtocolClient([server.origin]);
    person = await Person.register([server.origin]);
    // Clients are read once, places of the status list are leased in blocks.
    await person.useApplication(client, { scope: 'openid links:read' });
  }, 30_000);
  afterAll(async () => {
    await server?.close();
    await database?.drop();
  });

  it('of a sign-in with password, consent and code are 16', async () => {
    const statements = await countStatements(server, () =>
      person.elsewhere().useApplication(client, { scope: 'openid links:read', prompt: 'consent' }),
    );
    expect(statements).toBe(16);
  });

  it('of a request that asks nothing of a person are three', async () => {
    let visit: Awaited<ReturnType<Person['visit']>> | undefined;
    const asked = await countStatements(server, async () => {
      visit = await person.visit(client, { scope: 'openid links:read' });
    });
    expect(visit?.callback.get('code')).toBeTruthy();
    expect(asked).toBe(3);
  });

  it('of a code and of a refresh token are two each: one reads all, one decides and writes all', async () => {
    const codes: Awaited<ReturnType<Person['visit']>>[] = [];
    for (let time = 0; time < 3; time++)
      codes.push(await person.visit(client, { scope: 'openid links:read' }));
    let refreshToken = '';
    const exchange = await countStatements(server, async () => {
      const { callback, verifier } = codes.pop() as (typeof codes)[number];
      const { body } = await client.exchange({ code: callback.get('code') ?? '', verifier });
      refreshToken = String(body.refresh_token);
    });
    expect(exchange).toBe(2);
    const refresh = await countStatements(server, async () => {
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      refreshToken = String((await client.token(form)).body.refresh_token);
    });
    expect(refresh).toBe(2);
  });
});
