import type { Operation } from '../history.ts';

/** The statuses by which a use of a secret is known to have worked, or to have been refused. */
export interface SingleUseStatuses {
  readonly success: number;
  readonly refusal: number;
}

/** Every secret works exactly once; every other use of it is refused, and none goes without an answer. */
export function checkSingleUse(
  uses: readonly Operation<string, number>[],
  { success, refusal }: SingleUseStatuses,
): string[] {
  if (uses.length === 0) return ['nothing was used'];
  const bySecret = new Map<string, number[]>();
  for (const { call, outcome } of uses) {
    const statuses = bySecret.get(call) ?? [];
    bySecret.set(call, [...statuses, outcome]);
  }
  return [...bySecret].flatMap(([secret, statuses]) => {
    const successes = statuses.filter((status) => status === success).length;
    const strange = statuses.filter((status) => status !== success && status !== refusal);
    return [
      ...(successes === 1 ? [] : [`${secret} worked ${successes} times in ${statuses.length}`]),
      ...(strange.length === 0 ? [] : [`${secret} was answered ${strange.join(', ')}`]),
    ];
  });
}
