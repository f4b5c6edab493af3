import type { AnswerInstead } from '@gatepost/problem-details';
import type { Addresses } from '../env.ts';
import { describeFailure } from './describe-failure.ts';
import { pageHeaders } from './page-headers.ts';
import { accountPaths } from './paths.ts';
import { renderNotice } from './views/notice-page.ts';

/** Browsers that ask for an address that does not exist get a page; programs get the problem they expect. */
export function answerWithPage(addresses: Addresses): AnswerInstead {
  const headers = pageHeaders({
    formsStayHere: true,
    isHttps: addresses.issuer.startsWith('https:'),
  });
  return (error, request, reply) => {
    const wantsPage = request.headers.accept?.includes('text/html') === true;
    if (!wantsPage || error.code !== 'not-found' || reply.sent) return false;
    const { status, title, text } = describeFailure(error);
    const facts = [{ term: 'Request', value: request.id }];
    const link = { path: accountPaths(addresses.mount).home, label: 'Go to your account' };
    void reply
      .code(status)
      .headers(headers)
      .header('content-type', 'text/html; charset=utf-8')
      .send(renderNotice({ title, text, facts, link, isFault: true }));
    return true;
  };
}
