// Loaded into a process before its program (`--import`): its calendar clock is wrong by CLOCK_SHIFT_MS, and each SIGUSR2 sets
// it by CLOCK_STEP_MS. Its monotonic clock is left alone, as it is when an operator or a time server sets a clock.
let shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const stepMs = Number(process.env.CLOCK_STEP_MS ?? 0);
process.on('SIGUSR2', () => {
  shiftMs += stepMs;
});

const RightDate = Date;
globalThis.Date = class ShiftedDate extends RightDate {
  constructor(...args) {
    if (args.length === 0) super(RightDate.now() + shiftMs);
    else super(...args);
  }

  static now() {
    return RightDate.now() + shiftMs;
  }
};
