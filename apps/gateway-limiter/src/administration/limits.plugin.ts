import { callerName, limitOverride, type Offender } from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import type { FastifyInstance } from 'fastify';
import type { OffenderCount } from '../limiting/top-offenders.ts';
import { type CallerParts, resetCaller, viewCaller } from './caller-view.ts';
import type { DefinitionStore } from './definition-store.ts';
import type { Definitions } from './definitions.service.ts';
import { validated } from './validated.ts';

export interface LimitAdministration extends CallerParts {
  readonly definitions: Definitions;
  readonly definitionStore: DefinitionStore;
  /** Of all gateways, the worst first. */
  readonly listOffenders: () => Promise<OffenderCount[]>;
  /** Where the definition comes from, and what happens while the store is away: shown beside it. */
  readonly origin: { readonly source: string; readonly outage: string; readonly store: string };
}

interface OfCaller {
  readonly Params: { readonly caller: string };
}

/** `/admin/limits`: what is in force, overrides at run time, single callers, offenders. */
export function limitRoutes(parts: LimitAdministration) {
  return async (door: FastifyInstance): Promise<void> => {
    const { definitions, definitionStore, limits } = parts;

    door.get('/admin/limits', async () => {
      await definitions.refresh();
      const { keys: _keys, ...definition } = limits.book.definition;
      return {
        ...parts.origin,
        liveWorkers: definitions.liveWorkers,
        ...definition,
        overrides: definitions.listOverrides(),
      };
    });

    door.get('/admin/limits/overrides', async () => {
      await definitions.refresh();
      return { items: definitions.listOverrides() };
    });

    door.put<OfCaller>('/admin/limits/overrides/:caller', async (request) => {
      const body = typeof request.body === 'object' ? request.body : {};
      const override = validated(limitOverride, { ...body, caller: request.params.caller });
      refuseUnknownNames(parts, override);
      await definitionStore.putOverride(override);
      await definitions.refresh();
      return override;
    });

    door.delete<OfCaller>('/admin/limits/overrides/:caller', async (request, reply) => {
      const caller = validated(callerName, request.params.caller);
      if (!(await definitionStore.removeOverride(caller)))
        throw new DomainError('not-found', 'There is no override for this caller.');
      await definitions.refresh();
      return reply.code(204).send();
    });

    door.get<OfCaller>('/admin/limits/callers/:caller', async (request) => {
      await definitions.refresh();
      return viewCaller(parts, validated(callerName, request.params.caller));
    });

    door.delete<OfCaller>('/admin/limits/callers/:caller/usage', async (request, reply) => {
      await resetCaller(parts, validated(callerName, request.params.caller));
      return reply.code(204).send();
    });

    door.get('/admin/limits/offenders', async () => ({
      items: (await parts.listOffenders()).map(
        ({ id, kind, tier, count, lastAtMs }): Offender => ({
          label: id,
          kind: kind as Offender['kind'],
          tier,
          rejected: count,
          lastRejectedAt: new Date(lastAtMs).toISOString(),
        }),
      ),
    }));
  };
}

/** A typo in a tier or a rule must not pass for an override that does nothing. */
function refuseUnknownNames(
  { limits }: LimitAdministration,
  override: { tier?: string | undefined; rules?: Record<string, unknown> | undefined },
): void {
  const errors: { pointer: string; detail: string }[] = [];
  if (override.tier !== undefined && !limits.book.hasTier(override.tier))
    errors.push({ pointer: '/tier', detail: 'is not one of the tiers' });
  const rules = new Set(limits.book.definition.rules.map(({ name }) => name));
  for (const rule of Object.keys(override.rules ?? {}))
    if (!rules.has(rule))
      errors.push({ pointer: `/rules/${rule}`, detail: 'is not one of the rules' });
  if (errors.length > 0)
    throw new DomainError('invalid-request', 'Some of the names are not known.', { errors });
}
