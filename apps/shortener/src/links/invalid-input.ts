import { DomainError } from '@gatepost/problem-details';

/** An issue as Standard Schema gives it, with what zod adds. */
export interface InputIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Of `unrecognized_keys`: the members that nobody knows. */
  readonly keys?: readonly string[];
}

/** All faults of an input, each with a JSON Pointer (RFC 6901) to the member that is wrong. */
export function invalidInput(issues: readonly InputIssue[]): DomainError {
  const errors = issues.flatMap(({ message, path = [], keys }) => {
    const steps = path.map((step) => (typeof step === 'object' ? step.key : step));
    return keys
      ? keys.map((key) => ({
          pointer: pointerOf([...steps, key]),
          detail: 'is not a known member',
        }))
      : [{ pointer: pointerOf(steps), detail: lowerFirst(message) }];
  });
  return new DomainError('invalid-request', 'Some of the input cannot be used.', { errors });
}

function pointerOf(steps: readonly PropertyKey[]): string {
  return steps
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
