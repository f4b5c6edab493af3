import type { LimitOverride } from '@gatepost/contracts';
import type { AddressCaller } from '../identity/caller-identifier.ts';
import { type Caller, tierOf } from '../identity/client-key.ts';
import { type Networks, readNetworks } from '../identity/networks.ts';
import type { LimitBook, LimitSet } from './policies.ts';

/** Finds what was put in place for a caller at run time. */
export type FindOverride = (caller: string) => LimitOverride | undefined;

interface Lists {
  readonly callers: ReadonlySet<string>;
  readonly networks: Networks;
}

/** The definition in force, the overrides, and the two lists: what a caller may do right now. */
export class LimitsInForce {
  private current: LimitBook;
  private allow: Lists;
  private deny: Lists;

  constructor(
    book: LimitBook,
    private readonly findOverride: FindOverride,
    private readonly nowMs: () => number,
  ) {
    this.current = book;
    this.allow = readLists(book.definition.allow);
    this.deny = readLists(book.definition.deny);
  }

  get book(): LimitBook {
    return this.current;
  }

  /** Puts another definition in force, whole, from the next request on. */
  replace(book: LimitBook): void {
    const allow = readLists(book.definition.allow);
    const deny = readLists(book.definition.deny);
    this.current = book;
    this.allow = allow;
    this.deny = deny;
  }

  overrideOf(caller: Caller): LimitOverride | undefined {
    if (caller.name === undefined) return undefined;
    const override = this.findOverride(caller.name);
    if (!override) return undefined;
    const expired =
      override.expiresAt !== undefined && Date.parse(override.expiresAt) <= this.nowMs();
    return expired ? undefined : override;
  }

  limitsOf(caller: Caller): LimitSet {
    const override = this.overrideOf(caller);
    return override
      ? this.current.setWith(override, tierOf(caller))
      : this.current.setOf(tierOf(caller));
  }

  /** Deny beats allow: who is on both was put on the second in a hurry. */
  listed(caller: Caller, address: AddressCaller): 'allow' | 'deny' | undefined {
    if (isOn(this.deny, caller, address)) return 'deny';
    return isOn(this.allow, caller, address) ? 'allow' : undefined;
  }
}

function isOn(lists: Lists, caller: Caller, { address }: AddressCaller): boolean {
  if (lists.callers.size > 0 && caller.name !== undefined && lists.callers.has(caller.name))
    return true;
  return lists.networks.size > 0 && address !== undefined && lists.networks.holds(address);
}

/** Callers and networks may stand in one list: only callers begin with a kind. Throws NetworkRefused. */
function readLists(entries: readonly string[]): Lists {
  return {
    callers: new Set(entries.filter(isCallerEntry)),
    networks: readNetworks(entries.filter((entry) => !isCallerEntry(entry))),
  };
}

export function isCallerEntry(entry: string): boolean {
  return /^(key|user|client):./.test(entry);
}
