import { type ChildServer, startServer } from '../child-server.ts';
import { IdentityClient, MACHINE_CLIENT, type Person, WEB_CLIENT } from '../identity-client.ts';
import { type Contender, compare } from '../measurement.ts';
import type { SuiteReport } from '../report.ts';
import type { Suite } from '../suite.ts';
import { ratioVerdict } from '../verdicts.ts';

const OURS = 'gatepost on PostgreSQL';
const BARE = 'oidc-provider on its memory store';

/** Requests under way at once. */
const WORKERS = 16;

interface Operation {
  readonly name: string;
  readonly title: string;
  /** Ours may take this many times the CPU. */
  readonly most: number;
  /** Prepares one worker; what it returns does the operation once. */
  readonly prepare: (client: IdentityClient, person: Person) => Promise<() => Promise<unknown>>;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'client_credentials',
    title: 'A token for a machine (client_credentials, ES256)',
    most: 1.2,
    prepare: async (client) => () =>
      client.token({ grant_type: 'client_credentials', scope: 'links:read' }, MACHINE_CLIENT),
  },
  {
    name: 'sign-in',
    title: 'A sign-in: authorize, password (argon2id), consent, code, tokens',
    most: 1.4,
    prepare: async (client, person) => () => client.signIn(person),
  },
  {
    name: 'refresh',
    title: 'A refresh, rotating',
    most: 1.5,
    prepare: async (client, person) => {
      let { refresh_token } = await client.signIn(person);
      return async () => {
        const form = { grant_type: 'refresh_token', refresh_token: refresh_token ?? '' };
        ({ refresh_token } = await client.token(form, WEB_CLIENT));
      };
    },
  },
];

/** Every worker is a person of its own, at an address of its own: nobody signs in sixteen times at once. */
const PEOPLE: readonly Person[] = Array.from({ length: WORKERS }, (_, number) => ({
  email: `person-${number}@example.com`,
  name: `Person ${number}`,
  password: 'correct-horse-battery',
  address: `192.0.2.${number + 1}`,
}));

/** Tokens and sign-ins of auth-server, everything in PostgreSQL, beside the library alone, everything in its memory. */
export const identity: Suite = {
  name: 'identity',
  async run({ rounds, seconds, createDatabase, say }) {
    const servers: ChildServer[] = [];
    const started = async (server: Promise<ChildServer>) => {
      servers.push(await server);
      return servers.at(-1) as ChildServer;
    };
    try {
      const ours = await started(
        startServer('apps/auth-server/dist/main.js', {
          DATABASE_URL: await createDatabase(),
          PORT: '0',
          MANAGEMENT_PORT: '0',
          DEMO: 'true',
        }),
      );
      const bare = await started(startServer('identity-bare.mjs'));
      await registerPeople(ours);
      // The pages of a sign-in are compiled only after hundreds of them.
      for (const server of [ours, bare]) await warmUp(server, Math.min(6, seconds));
      const reports: SuiteReport[] = [];
      for (const operation of OPERATIONS) {
        const rows = await compare(
          [
            contender(operation, ours, { name: OURS, role: 'ours' }),
            contender(operation, bare, { name: BARE, role: 'limit' }),
          ],
          { rounds, seconds, say },
        );
        reports.push({
          name: `identity, ${operation.name}`,
          title: operation.title,
          rows,
          verdicts: [ratioVerdict(rows, BARE, operation.most)],
        });
      }
      return reports;
    } finally {
      for (const server of servers) await server.stop();
    }
  },
};

async function registerPeople(server: ChildServer): Promise<void> {
  const client = new IdentityClient(server.url);
  for (const person of PEOPLE) await client.register(person);
  client.close();
}

async function warmUp(server: ChildServer, seconds: number): Promise<void> {
  for (const operation of OPERATIONS) {
    const warming = await contender(operation, server, { name: OURS, role: 'ours' }).start();
    await warming.prepare?.();
    await warming.work(seconds / 3);
    await warming.stop();
  }
}

/** A closed loop of one operation at a server that is started already. */
function contender(
  { prepare }: Operation,
  server: ChildServer,
  named: Pick<Contender, 'name' | 'role'>,
): Contender {
  return {
    ...named,
    start: async () => {
      let client: IdentityClient | undefined;
      let workers: (() => Promise<unknown>)[] = [];
      return {
        pids: [server.pid],
        // Anew for each round: what the library keeps of a family of tokens grows with every refresh, and connections that were
        // idle while the other one worked may be closing.
        prepare: async () => {
          client?.close();
          const fresh = new IdentityClient(server.url);
          client = fresh;
          workers = await Promise.all(PEOPLE.map((person) => prepare(fresh, person)));
        },
        work: async (seconds) => {
          const until = performance.now() + seconds * 1000;
          let operations = 0;
          await Promise.all(
            workers.map(async (operate) => {
              while (performance.now() < until) {
                await operate();
                operations++;
              }
            }),
          );
          return { operations, failures: 0 };
        },
        stop: async () => client?.close(),
      };
    },
  };
}
