/** Injection tokens of what the process was started with. */
export const ENV = Symbol('ENV');
export const ADDRESSES = Symbol('ADDRESSES');
export const POOL = Symbol('POOL');
export const LOGGER = Symbol('LOGGER');
export const METRICS = Symbol('METRICS');
