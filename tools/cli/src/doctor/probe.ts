import type { Context } from '../context.ts';

const TIMEOUT_MS = 5_000;

export interface Probe {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** Milliseconds, on our clock. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Asks an address and takes any answer; undefined when there is none. */
export async function probe(
  { fetch, now, signal }: Context,
  address: string,
  headers: Record<string, string> = {},
): Promise<Probe | undefined> {
  const sentAt = now();
  try {
    const response = await fetch(address, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const receivedAt = now();
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: parseJson(text),
      sentAt,
      receivedAt,
    };
  } catch {
    if (signal.aborted) throw signal.reason;
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
