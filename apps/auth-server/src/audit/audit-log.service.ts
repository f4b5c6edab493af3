import type { Logger, Registry } from '@gatepost/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { LOGGER, METRICS } from '../app.tokens.ts';

/** Who did what to whom. Ids and reasons only: no token, code, secret, password or cookie ever. */
export interface AuditDetails {
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly ip?: string | undefined;
  readonly reason?: string | undefined;
  readonly [detail: string]: string | number | boolean | undefined;
}

/** The audit trail: one structured line an event, marked `audit`, and a counter by event name. */
@Injectable()
export class AuditLog {
  private readonly lines: Logger;
  private readonly events: Counter<'event'>;

  constructor(@Inject(LOGGER) logger: Logger, @Inject(METRICS) metrics: Registry) {
    this.lines = logger.child({ audit: true }, { level: 'info' });
    this.events = new Counter({
      name: 'auth_audit_events_total',
      help: 'Audited events: sign-ins, grants, revocations, key rotations, administration',
      labelNames: ['event'],
      registers: [metrics],
    });
  }

  /** `event` is `<noun>.<what happened>`, from a fixed set: it becomes a label. */
  record(event: string, details: AuditDetails): void {
    this.events.inc({ event });
    this.lines.info({ event, ...details }, event);
  }
}
