import type { Context } from '../context.ts';
import { type Finding, fault, good, warning } from './finding.ts';
import { type Probe, probe } from './probe.ts';

const MOST_SKEW_SECONDS = 60;
const WORTH_A_WARNING_SECONDS = 5;
/** Enough that a bucket of somebody else's would show, however quickly ours refills. */
const DRAWS = 8;

/** Whether the public door answers, limits, and keeps time. */
export async function lookAtGateway(
  context: Context,
): Promise<{ answers: boolean; findings: Finding[] }> {
  const answer = await probe(context, `${context.baseUrl}/`);
  if (!answer) {
    const cure =
      'Start it ("npm start"), or name the right address with --base-url or GATEPOST_URL.';
    return {
      answers: false,
      findings: [fault('gateway', `${context.baseUrl} does not answer.`, cure)],
    };
  }
  return { answers: true, findings: [lookAtAnswer(answer), lookAtClock(answer)] };
}

function lookAtAnswer({ status, headers, sentAt, receivedAt }: Probe): Finding {
  const server = `answers ${status} in ${Math.round(receivedAt - sentAt)} ms`;
  if (status === 502 || status === 504)
    return fault(
      'gateway',
      `It ${server}: no service behind it.`,
      'Look at the log of the gateway and at the service’s /readyz.',
    );
  if (status === 503)
    return fault(
      'gateway',
      `It ${server}.`,
      'Look at /readyz?verbose of each service: a store is away, or it drains.',
    );
  if (!headers.has('x-ratelimit-limit'))
    return warning(
      'gateway',
      `It ${server}, but without X-RateLimit-*: something else answers, or the limiter is passed by.`,
      'Let the public address lead to the gateway, not to a service behind it.',
    );
  return good('gateway', server);
}

/** Tokens and proofs carry times: with clocks too far apart, good ones are refused. */
function lookAtClock({ headers, sentAt, receivedAt }: Probe): Finding {
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date))
    return warning(
      'clock',
      'The server does not say what time it is.',
      'Let it send a Date field.',
    );
  // The field has whole seconds: it may be up to one behind.
  const earliest = (date - receivedAt) / 1000;
  const latest = (date + 1000 - sentAt) / 1000;
  const skew = earliest > 0 ? earliest : latest < 0 ? latest : 0;
  const seconds = Math.abs(Math.round(skew));
  const sentence = `The server’s clock is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} this one.`;
  const cure = 'Let both keep time by NTP.';
  if (seconds > MOST_SKEW_SECONDS) return fault('clock', sentence, cure);
  if (seconds > WORTH_A_WARNING_SECONDS) return warning('clock', sentence, cure);
  return good('clock', 'This machine and the server agree on the time');
}

/**
 * Whether a client can choose its own address. Draws a few tokens, then asks as somebody from elsewhere: a fuller bucket
 * is another bucket.
 */
export async function lookAtForwardedFor(context: Context): Promise<Finding[]> {
  const address = `${context.baseUrl}/`;
  let own: Probe | undefined;
  for (let draw = 0; draw < DRAWS; draw += 1) own = await probe(context, address);
  const other = await probe(context, address, { 'x-forwarded-for': '203.0.113.77' });
  const remaining = remainingOf(own);
  const othersRemaining = remainingOf(other);
  if (remaining === undefined || othersRemaining === undefined) return [];
  if (othersRemaining < remaining + DRAWS / 2)
    return [good('proxy headers', 'X-Forwarded-For from here is not believed')];
  return [
    warning(
      'proxy headers',
      'X-Forwarded-For from here is believed: whoever sends it chooses the address that is limited.',
      'Fine if this machine is one of your proxies; else narrow TRUSTED_PROXIES of the gateway.',
    ),
  ];
}

function remainingOf(answer: Probe | undefined): number | undefined {
  const remaining = answer?.headers.get('x-ratelimit-remaining');
  return remaining === null || remaining === undefined ? undefined : Number(remaining);
}
