import { type Outcome, readOutcomes, type ServiceName, withoutServices } from './service.ts';

/** Begins the note in a skipped suite's name; the reporter finds the suite by it. */
export const SKIPPED_MARK = '[skipped: no ';

/**
 * A suite that needs real servers. Where one cannot be had, the suite is skipped under a name that says so; with REQUIRE_SERVICES=1
 * it fails instead.
 */
export function describeWith(
  services: readonly ServiceName[],
  title: string,
  suite: () => void,
): void {
  const missing = services.flatMap((service) => {
    const outcome = outcomeOf(service);
    return outcome.available ? [] : [{ service, ...outcome }];
  });
  if (missing.length === 0) {
    describe(title, suite);
  } else if (process.env['REQUIRE_SERVICES'] === '1') {
    describe(title, () => {
      it(`has ${services.join(', ')}`, () => {
        throw new Error(
          missing.map((one) => `${one.service}: ${one.reason} (${one.command})`).join('\n'),
        );
      });
    });
  } else {
    const names = missing.map((one) => one.service).join(', ');
    // The name says why, and the run lists it.
    describe.skip(`${title} ${SKIPPED_MARK}${names}]`, () => withoutServices(suite));
  }
}

function outcomeOf(service: ServiceName): Outcome {
  const outcome = readOutcomes()[service];
  if (outcome !== undefined) return outcome;
  throw new Error(
    `Nobody tried to provide ${service}: the project's jest.config.mjs must extend jest.preset.mjs.`,
  );
}
