import { heldTick, holdTickShape } from './hold-tick-shape.ts';

it('holds one tick object of Node, the first', async () => {
  await holdTickShape();
  const first = heldTick();
  // If Node ever hands out something else here, the shape is no longer kept and `npm run bench` gets slower.
  expect(first).toHaveProperty('callback');
  await holdTickShape();
  expect(heldTick()).toBe(first);
});
