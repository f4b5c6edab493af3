/** One thing that was looked at. `cure` says what to do about it. */
export interface Finding {
  readonly state: 'good' | 'note' | 'warning' | 'fault';
  readonly about: string;
  readonly sentence: string;
  readonly cure?: string;
}

export function good(about: string, sentence: string): Finding {
  return { state: 'good', about, sentence };
}

/** Neither good nor bad. */
export function note(about: string, sentence: string, cure?: string): Finding {
  return { state: 'note', about, sentence, ...(cure ? { cure } : {}) };
}

/** Works today, and will bite. */
export function warning(about: string, sentence: string, cure: string): Finding {
  return { state: 'warning', about, sentence, cure };
}

export function fault(about: string, sentence: string, cure: string): Finding {
  return { state: 'fault', about, sentence, cure };
}
