/** What is known of the clicks of one link. */
export interface Clicks {
  /** Redirects that were answered. */
  readonly acknowledged: number;
  /** Redirects whose answer was lost: they may count or not. */
  readonly uncertain: number;
  /** What the service counts. */
  readonly counted: number;
}

/** Every acknowledged click is counted once, none twice, and none that nobody made. `mayLose` in all may be missing. */
export function checkCounts(byCode: ReadonlyMap<string, Clicks>, mayLose = 0): string[] {
  const all = [...byCode.values()];
  if (all.reduce((sum, { acknowledged }) => sum + acknowledged, 0) === 0)
    return ['nothing was clicked'];
  const missing = all.reduce(
    (sum, { acknowledged, counted }) => sum + Math.max(0, acknowledged - counted),
    0,
  );
  const faults: string[] = [];
  if (missing > mayLose) faults.push(`${missing} acknowledged clicks are not counted`);
  for (const [code, { acknowledged, uncertain, counted }] of byCode) {
    const surplus = counted - acknowledged - uncertain;
    if (surplus > 0) faults.push(`${code} has ${surplus} clicks too many`);
  }
  return faults;
}
