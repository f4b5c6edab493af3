/*
 * PostgreSQL array literals, written by hand: the driver's own way takes longer than all else that is done to a click.
 */

/** Of numbers, UUIDs and codes: what needs no quotes. */
export function plainArray(values: readonly (string | number | bigint)[]): string {
  return `{${values.join(',')}}`;
}

/** Of any text; null stays null. */
export function textArray(values: readonly (string | null)[]): string {
  let literal = '{';
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as string | null;
    if (index > 0) literal += ',';
    if (value === null) literal += 'NULL';
    else literal += `"${NEEDS_ESCAPE.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
  }
  return `${literal}}`;
}

const NEEDS_ESCAPE = /["\\]/;
