/**
 * The named fields of a form as text. What is absent is empty; what came twice, or in a shape that no form sends, is empty
 * too, and then fails like an empty field.
 */
export function readForm<Name extends string>(
  body: unknown,
  names: readonly Name[],
): Record<Name, string> {
  const fields = typeof body === 'object' && body !== null ? body : {};
  return Object.fromEntries(
    names.map((name) => {
      const value = Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : '';
      // No key types a NUL, and no text of the database can hold one.
      return [name, typeof value === 'string' && !value.includes('\0') ? value : ''];
    }),
  ) as Record<Name, string>;
}
