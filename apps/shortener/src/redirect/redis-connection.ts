import type { Logger } from '@gatepost/service-kit';
import { Redis } from 'ioredis';

/**
 * A connection that answers fast or not at all. Nothing is queued while it is away and nothing is sent again when it is
 * back: a command that timed out must not take effect later, when the link may have changed.
 */
export function openRedis(url: string, connectionName: string, logger: Logger): Redis {
  const redis = new Redis(url, {
    connectionName,
    connectTimeout: 500,
    commandTimeout: 50,
    socketTimeout: 1_000,
    // A subscriber has to do something after it has subscribed again (InvalidationListener).
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, 250),
  });
  let reported = false;
  redis.on('error', (error) => {
    if (!reported) logger.warn({ err: error, connectionName }, 'redis is away');
    reported = true;
  });
  redis.on('ready', () => {
    if (reported) logger.info({ connectionName }, 'redis is back');
    reported = false;
  });
  return redis;
}
