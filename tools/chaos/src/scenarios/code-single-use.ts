import { Visitor } from '../actors/visitor.ts';
import { type App, PUBLIC_URL } from '../app.ts';
import { checkSingleUse } from '../checkers/single-use.ts';
import { History } from '../history.ts';
import { Client } from '../http.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const ROUNDS = 12;
const PARALLEL = 10;

/** The race that oidc-provider by itself loses: find, look, mark. */
export const codeSingleUse: Scenario = {
  name: 'code-single-use',
  promise: `Of ${PARALLEL} parallel uses of an authorization code, over two processes, exactly one succeeds.`,
  needs: ['postgres'],
  async run(stage) {
    const servers = await startServers(stage);
    const client = new Client(PARALLEL * 2);
    stage.onEnd(() => client.close());
    const visitor = new Visitor(client, PUBLIC_URL);
    const history = new History<string, number>();
    for (let round = 1; round <= ROUNDS; round++) {
      const grant = await visitor.authorize(servers[round % 2]?.url ?? '');
      await Promise.all(
        Array.from({ length: PARALLEL }, (_, number) =>
          history.record(`the code of round ${round}`, async () => {
            const { status } = await visitor.exchange(servers[number % 2]?.url ?? '', grant);
            return status;
          }),
        ),
      );
    }
    const succeeded = history.operations.filter(({ outcome }) => outcome === 200).length;
    return {
      observed: `${succeeded} of ${history.operations.length} uses of ${ROUNDS} codes succeeded`,
      faults: checkSingleUse(history.operations, { success: 200, refusal: 400 }),
    };
  },
};

async function startServers(stage: Stage): Promise<[App, App]> {
  const env = { DATABASE_URL: await stage.createDatabase(), PUBLIC_URL, DEMO: 'true' };
  return [
    await stage.startApp({ name: 'auth-1', app: 'auth-server', env }),
    await stage.startApp({ name: 'auth-2', app: 'auth-server', env }),
  ];
}
