import {
  type Decision,
  type Policy,
  refillPerUs,
  type TakeRequest,
  toDecision,
} from '@gatepost/limiter-core';

/** Requests in one run of the script: 64 take Redis about a quarter of a millisecond, which nobody else waits longer. */
export const MOST_REQUESTS = 64;
/** A term is chosen by one printable character. */
const MOST_TERMS = 90;
const FIRST_TERM = 33;

interface Term {
  readonly policy: Policy;
  readonly cost: number;
  readonly joined: boolean;
}

const argumentsByPolicy = new WeakMap<Policy, readonly string[]>();

/** One run of the script: its requests as arguments, and its answer as decisions. */
export class TakeCall {
  readonly requests: TakeRequest[] = [];
  readonly keys: string[] = [];
  private readonly terms: Term[] = [];
  private choice = '';

  /** Adds a request; false when it does not fit any more. */
  add(request: TakeRequest): boolean {
    if (this.requests.length >= MOST_REQUESTS || this.terms.length + request.length > MOST_TERMS)
      return false;
    for (let index = 0; index < request.length; index++) {
      const { key, policy, cost } = request[index] as TakeRequest[number];
      this.keys.push(key);
      this.choice += String.fromCharCode(FIRST_TERM + this.termOf(policy, cost, index > 0));
    }
    this.requests.push(request);
    return true;
  }

  /** Arguments of EVALSHA and EVAL after the script's name. */
  arguments(deadlineUs: number): string[] {
    const list = [String(this.keys.length), ...this.keys, String(deadlineUs), this.choice];
    for (const { policy, cost, joined } of this.terms) {
      list.push(joined ? '1' : '0', String(cost), policy.layout);
      for (const argument of argumentsOf(policy)) list.push(argument);
    }
    return list;
  }

  /** The store's time in the answer, µs since 1970. */
  static storeTimeUs(answer: Buffer): number {
    return answer.readDoubleLE(0);
  }

  /** Did the script run too late to do anything? */
  isLate(answer: Buffer): boolean {
    return this.keys.length > 0 && answer.length === 8;
  }

  readDecisions(answer: Buffer): Decision[] {
    const nowUs = TakeCall.storeTimeUs(answer);
    const verdicts = answer.length - this.requests.length;
    const used: number[] = [];
    let offset = 8;
    return this.requests.map((request, index) => {
      let count = 0;
      for (const { policy } of request) {
        const windows = policy.windows.length;
        for (let window = 1; window <= windows; window++)
          used[count++] = answer.readDoubleLE(offset + 8 * window);
        offset += 8 + 9 * windows;
      }
      return toDecision(request, used, answer[verdicts + index] === 97, nowUs);
    });
  }

  private termOf(policy: Policy, cost: number, joined: boolean): number {
    const { terms } = this;
    for (let index = 0; index < terms.length; index++) {
      const term = terms[index] as Term;
      if (term.policy === policy && term.cost === cost && term.joined === joined) return index;
    }
    return terms.push({ policy, cost, joined }) - 1;
  }
}

function argumentsOf(policy: Policy): readonly string[] {
  let list = argumentsByPolicy.get(policy);
  if (!list) {
    list = policy.windows.flatMap((window) => [
      String(window.capacity),
      String(refillPerUs(window)),
    ]);
    argumentsByPolicy.set(policy, list);
  }
  return list;
}
