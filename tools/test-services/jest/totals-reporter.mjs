// Jest reporter: counts for the last line of `npm test`, and one line of progress a file.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class TotalsReporter {
  #done = 0;
  #all = 0;

  onRunStart(results) {
    this.#all = results.numTotalTestSuites;
  }

  onTestResult(test, result, results) {
    this.#done += 1;
    this.#write(results, false);
    const { numPassingTests: passed, numFailingTests: failed, skipped } = result;
    const seconds = (result.perfStats.runtime / 1000).toFixed(1);
    const verdict = failed > 0 || result.testExecError ? 'FAIL' : 'pass';
    const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && 'skipped'];
    const file = relative(process.cwd(), test.path);
    console.log(
      `[${this.#done}/${this.#all}] ${verdict} ${file}: ${counts.filter(Boolean).join(', ')} (${seconds} s)`,
    );
    if (result.failureMessage) console.log(result.failureMessage);
  }

  onRunComplete(_contexts, results) {
    this.#write(results, true);
    // A spec that left a connection open must not keep the run from ending.
    setTimeout(() => {
      console.log('Some spec left something open: ending the run.');
      process.exit(results.success ? 0 : 1);
    }, 10_000).unref();
  }

  /** After every file, so that a run that is stopped still counts what it did. */
  #write(results, isComplete) {
    if (!process.env.GATEPOST_TOTALS) return;
    const totals = {
      passed: results.numPassedTests,
      // A file that could not even be loaded has no tests to fail.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(process.env.GATEPOST_TOTALS, JSON.stringify({ totals, isComplete }));
  }
}
