import { fileURLToPath } from 'node:url';
import { migrate, openPool } from '@gatepost/postgres';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { openClickRollup } from '../analytics/open-click-rollup.ts';
import { environment } from '../env.ts';
import { BreakableNetwork } from '../testing/breakable-network.ts';
import { describeClickSink } from './click-sink.contract.ts';
import { InProcessClickDelivery } from './in-process-click-delivery.ts';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

describeWith(['postgres'], 'clicks counted in process', () => {
  describeClickSink(async () => {
    const database = await createTestDatabase();
    await migrate({ url: database.url, folder: MIGRATIONS });
    const network = new BreakableNetwork();
    const url = new URL(database.url);
    const before = await network.listenBefore({ host: url.hostname, port: Number(url.port) });
    const direct = openPool({ url: database.url, applicationName: 'spec' });
    url.port = String(before.port);
    const pool = openPool({ url: url.href, applicationName: 'spec', connectTimeoutMs: 500 });
    const rollup = await openClickRollup(environment.parse({ CLICK_IP_MODE: 'raw' }), pool);
    return {
      delivery: new InProcessClickDelivery(rollup),
      delivered: async () => {
        const { rows } = await direct.query(
          'SELECT code, time, ip, referrer, user_agent FROM clicks ORDER BY time',
        );
        return rows.map(({ code, time, ip, referrer, user_agent: userAgent }) => ({
          code,
          timestamp: time.toISOString(),
          ip,
          referrer,
          userAgent,
        }));
      },
      cut: () => network.cut(),
      restore: () => network.restore(),
      close: async () => {
        before.close();
        await Promise.all([pool.end(), direct.end()]);
        await database.drop();
      },
    };
  });
});
