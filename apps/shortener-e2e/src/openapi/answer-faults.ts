import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from '../shortener.ts';
import { description, type NamedOperation } from './description.ts';

// Formats and `examples` are words of OpenAPI 3.1's dialect; the description is not ours to complain about here.
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(description, 'openapi');

const validators = new Map<string, ValidateFunction>();

/** What an answer holds that its operation does not document. */
export function answerFaults(
  { method, path, operation }: NamedOperation,
  answer: Answer,
): string[] {
  const { status, headers, text, json } = answer;
  const documented = operation.responses[status];
  if (status >= 500) return [`${status}: ${text}`];
  if (!documented) return [`${status} is not documented: ${text}`];
  const field = headers.get('content-type') ?? '';
  const mediaType = field.split(';', 1)[0] as string;
  const faults: string[] = [];
  if (status >= 400 && method !== 'HEAD' && mediaType !== 'application/problem+json')
    faults.push(`${status} comes as ${field || 'nothing'}`);
  if (json?.status !== undefined && status >= 400 && json.status !== status)
    faults.push(`the problem says ${json.status}, the answer ${status}`);
  if (method === 'HEAD' || (text === '' && !documented.content)) return faults;
  if (!documented.content || !(mediaType in documented.content))
    return [...faults, `${status} documents no ${field}`];
  if (!mediaType.endsWith('json')) return faults;
  const place = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    mediaType,
    'schema',
  ];
  const validate = validatorOf(place);
  if (!validate(json)) faults.push(`${ajv.errorsText(validate.errors)}: ${text.slice(0, 2_000)}`);
  return faults;
}

function validatorOf(place: readonly string[]): ValidateFunction {
  const pointer = place
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/');
  let validate = validators.get(pointer);
  if (!validate) {
    validate = ajv.compile({ $ref: `openapi#/${pointer}` });
    validators.set(pointer, validate);
  }
  return validate;
}
