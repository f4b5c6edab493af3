import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from './logger.ts';
import type { ManagementDoor } from './management-door.ts';
import type { Readiness } from './readiness.ts';
import type { Tracing } from './tracing.ts';

export interface Drainable {
  readonly delayMs: number;
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly management: ManagementDoor;
  readonly tracing: Tracing;
  readonly app: NestFastifyApplication | undefined;
  readonly close: (() => Promise<void>) | undefined;
}

/**
 * The order in which a service ends: readiness off, a pause for balancers to notice, connections closed and requests
 * finished, rooms flushed and stores closed, the management door last. Bounded in time; ends the process.
 */
export function drainOnce(parts: Drainable): (reason: string) => Promise<void> {
  let draining = false;
  return async (reason) => {
    if (draining) return;
    draining = true;
    const { delayMs, timeoutMs, logger, readiness } = parts;
    logger.info({ reason }, 'draining');
    readiness.markDraining();
    const limit = setTimeout(() => {
      logger.error('drain took too long, cut off');
      exit(logger, 1);
    }, delayMs + timeoutMs);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    let code = 0;
    try {
      await closeInOrder(parts);
      logger.info('stopped');
    } catch (error) {
      logger.error({ err: error }, 'stopped with an error');
      code = 1;
    }
    clearTimeout(limit);
    exit(logger, code);
  };
}

async function closeInOrder({ app, close, tracing, management }: Drainable): Promise<void> {
  await app?.close();
  await close?.();
  await tracing.shutdown();
  await management.close();
}

/** Ends the process; the log stream is asynchronous, and without the flush its last lines would be lost. */
export function exit(logger: Logger, code: number): never {
  logger.flush?.();
  process.exit(code);
}
