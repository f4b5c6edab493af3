// Jest reporter: names every suite with skipped tests, and the command that would provide the server that was wanting.
const MISSING = /\[skipped: no ([^\]]+)\]/;
const SKIPPED = new Set(['pending', 'skipped', 'disabled', 'todo']);

export default class SkippedSuitesReporter {
  #counts = new Map();

  onTestResult(_test, result) {
    for (const { ancestorTitles, title, status } of result.testResults) {
      if (!SKIPPED.has(status)) continue;
      const suite = ancestorTitles.join(' › ') || title;
      this.#counts.set(suite, (this.#counts.get(suite) ?? 0) + 1);
    }
  }

  onRunComplete() {
    if (this.#counts.size === 0) return;
    const outcomes = JSON.parse(process.env.GATEPOST_TEST_SERVICES ?? '{}');
    const missing = new Set();
    console.log('\nSkipped:');
    for (const [suite, count] of this.#counts) {
      console.log(`  ${suite} (${count} ${count === 1 ? 'test' : 'tests'})`);
      for (const service of MISSING.exec(suite)?.[1].split(', ') ?? []) missing.add(service);
    }
    for (const service of missing) {
      const outcome = outcomes[service];
      if (outcome) console.log(`  ${service}: ${outcome.reason}\n    ${outcome.command}`);
    }
  }
}
