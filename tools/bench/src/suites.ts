import type { Suite } from './suite.ts';
import { clicks } from './suites/clicks.ts';
import { creates } from './suites/creates.ts';
import { footprint } from './suites/footprint.ts';
import { gateway } from './suites/gateway.ts';
import { identity } from './suites/identity.ts';
import { latency } from './suites/latency.ts';
import { limiter } from './suites/limiter.ts';
import { path } from './suites/path.ts';
import { redirect } from './suites/redirect.ts';

/** In the order they run. */
export const SUITES: readonly Suite[] = [
  gateway,
  limiter,
  latency,
  redirect,
  path,
  clicks,
  creates,
  identity,
  footprint,
];
