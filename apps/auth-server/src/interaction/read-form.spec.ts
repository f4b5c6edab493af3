import { readForm } from './read-form.ts';

describe('fields of a form', () => {
  it.each([
    [{ a: 'x' }, 'x'],
    [{ a: ' x ' }, ' x '],
    [{ a: ['x', 'y'] }, ''],
    [{ a: { b: 'x' } }, ''],
    [{ a: 'x\0y' }, ''],
    [{}, ''],
    [undefined, ''],
    ['a=x', ''],
    [Object.create({ a: 'inherited' }), ''],
  ])('of %j: %j', (body, expected) => expect(readForm(body, ['a']).a).toBe(expected));
});
