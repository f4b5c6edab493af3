/**
 * Hears from the first moment on that the process is to end: a signal, or a supervisor that is gone. What arrives while
 * the service still starts is kept until somebody can act on it; a lost channel would be told only once.
 */
export function hearEndRequests(): { act(stop: (reason: string) => void): void } {
  let requested: string | undefined;
  let act: ((reason: string) => void) | undefined;
  const hear = (reason: string) => {
    requested ??= reason;
    act?.(reason);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => hear(signal));
  process.on('disconnect', () => hear('supervisor gone'));
  // The channel may have been lost while modules were still loading.
  if (process.send && !process.connected) hear('supervisor gone');
  return {
    act(stop) {
      act = stop;
      if (requested !== undefined) stop(requested);
    },
  };
}
