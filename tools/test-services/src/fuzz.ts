import fc from 'fast-check';

/**
 * The parameters of every property: `fc.assert(property, runs(300))` tries 300 inputs, or under FUZZ_SECONDS as many as there is
 * time for. A failure names its seed, a long run always; FUZZ_SEED repeats it. The time limit of all tests is longer by then
 * (jest.preset.mjs); a test with one of its own passes it through `withFuzzTime`.
 */
export function runs<Ts>(usual = 100): fc.Parameters<Ts> {
  const seconds = readNumber('FUZZ_SECONDS');
  const seed = readNumber('FUZZ_SEED');
  return {
    ...(seed === undefined ? {} : { seed }),
    ...(seconds === undefined
      ? { numRuns: usual }
      : {
          numRuns: Number.POSITIVE_INFINITY,
          interruptAfterTimeLimit: seconds * 1_000,
          // The time being up is the end of the run, no fault, however few inputs it was.
          markInterruptAsFailure: false,
        }),
    reporter: report,
  };
}

/** Milliseconds for a test that holds one property. */
export function withFuzzTime(usualMs: number): number {
  return usualMs + (readNumber('FUZZ_SECONDS') ?? 0) * 1_000;
}

function report<Ts>(details: fc.RunDetails<Ts>): void {
  const { failed, numRuns, seed } = details;
  if (readNumber('FUZZ_SECONDS') !== undefined) {
    const { currentTestName } = expect.getState();
    const outcome = failed ? 'FAILED after' : 'held for';
    process.stderr.write(
      `fuzz: "${currentTestName}" ${outcome} ${numRuns} inputs, FUZZ_SEED=${seed}\n`,
    );
  }
  if (!failed) return;
  throw new Error(`${fc.defaultReportMessage(details)}\n\nAgain: FUZZ_SEED=${seed}`, {
    cause: details.errorInstance,
  });
}

function readNumber(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`${variable} must be a number, not "${text}"`);
  return value;
}
