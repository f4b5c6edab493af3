import { AsyncLocalStorage } from 'node:async_hooks';
import { RequestWork } from '../store/request-work.ts';
import { runningRequest } from './running-request.ts';

/** Endpoints whose writes are gathered. Elsewhere there is one write or none. */
const GATHERING = new Set(['token', 'authorization', 'resume', 'device_resume']);

const works = new WeakMap<object, RequestWork>();
const pages = new AsyncLocalStorage<RequestWork>();

/** The work of what is being answered: at the protocol endpoints that gather, and within a page's. */
export function requestWork(): RequestWork | undefined {
  const ctx = runningRequest();
  if (!ctx?.oidc) return pages.getStore();
  if (!GATHERING.has(ctx.oidc.route)) return undefined;
  let work = works.get(ctx);
  if (!work) {
    work = new RequestWork();
    works.set(ctx, work);
  }
  return work;
}

/** The work that a request has gathered, if it has any. */
export function gatheredWork(ctx: object): RequestWork | undefined {
  return works.get(ctx);
}

/** Lets the library read into and write to a page's work. */
export function withinPage<T>(work: RequestWork, action: () => Promise<T>): Promise<T> {
  return pages.run(work, action);
}
