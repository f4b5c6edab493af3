import { definePolicy, MemoryBucketStore } from '@gatepost/limiter-core';
import { LRUCache } from 'lru-cache';
import type { RequestFacts } from '../limiting/limit-verdict.ts';
import { type Address, clientNetworkOf, readAddress } from './address.ts';
import type { BearerVerifier, VerifiedSubject } from './bearer-verifier.ts';
import {
  type Caller,
  type Credentials,
  knownCaller,
  readCredentials,
  unknownCaller,
} from './client-key.ts';
import type { ConfiguredKey, FindKey } from './configured-keys.ts';
import { credentialDigest } from './keyed-hash.ts';

/** Who sends a request. */
export interface Identified {
  readonly caller: Caller;
  /** The address's own, always known; an unknown bearer draws on it as well. */
  readonly address: AddressCaller;
  /** Fields that hold a configured API key and stay here. */
  readonly strip: readonly ('x-api-key' | 'authorization')[];
}

export interface AddressCaller extends Caller {
  /** `undefined` when the socket was gone before it was asked. */
  readonly address: Address | undefined;
}

export interface CallerIdentifierOptions {
  /** Keys the hashes. The same on every gateway. */
  readonly secret: string;
  readonly findKey: FindKey;
  readonly verifier: BearerVerifier;
  /** How much of an IPv6 address is one client. */
  readonly ipv6PrefixBits: number;
  readonly nowUs: () => number;
}

const NOTHING: readonly [] = [];
const API_KEY = ['x-api-key'] as const;
const AUTHORIZATION = ['authorization'] as const;
const BOTH = ['x-api-key', 'authorization'] as const;

/** Longer credentials are no API keys: a token need not be digested to find that out. */
const LONGEST_API_KEY = 256;
/** Least recently used go first: nobody makes these grow by inventing callers. */
const REMEMBERED = 20_000;
/** Signature checks that come to nothing, per address: a thousandth of a core is all that one may burn. */
const FAILED_CHECKS = definePolicy('', { second: { limit: 5, burst: 50 } });

/** API key → subject of a verified token → address: the first that is known counts. */
export class CallerIdentifier {
  private readonly keys = new WeakMap<ConfiguredKey, Caller>();
  private readonly subjects = new LRUCache<string, Caller>({ max: REMEMBERED });
  private readonly addresses = new LRUCache<string, AddressCaller>({ max: REMEMBERED });
  private readonly failures: MemoryBucketStore;

  constructor(private readonly options: CallerIdentifierOptions) {
    this.failures = new MemoryBucketStore({ nowUs: options.nowUs, capacity: REMEMBERED });
  }

  /** At once for callers that are known already; a promise only where a token must be verified. */
  identify(facts: RequestFacts): Identified | Promise<Identified> {
    const address = this.addressCaller(facts.clientAddress);
    if (facts.kind === 'unparsed') return { caller: address, address, strip: NOTHING };
    const credentials = readCredentials(facts.headers);
    const { apiKey, bearer } = credentials;
    if (apiKey === undefined && bearer === undefined)
      return { caller: address, address, strip: NOTHING };
    const byKey = this.identifyKey(credentials, address);
    if (byKey) return byKey;
    if (bearer) {
      const subject = this.options.verifier.peek(bearer.value);
      if (subject) return { caller: this.subjectCaller(subject), address, strip: NOTHING };
      if (this.mayCheck(address)) return this.verify(credentials, facts, address);
    }
    return this.unknown(credentials, address);
  }

  /** A caller by its name, as operators write it. */
  callerNamed(name: string, tier?: string): AddressCaller {
    const colon = name.indexOf(':');
    const kind = name.slice(0, colon) as 'key' | 'user' | 'client' | 'address';
    const id = name.slice(colon + 1);
    return kind === 'address'
      ? this.addressCaller(id.replace(/\/\d+$/, ''))
      : { ...knownCaller(this.options.secret, kind, id, tier), address: undefined };
  }

  private identifyKey({ apiKey, bearer }: Credentials, address: AddressCaller) {
    const fromField = apiKey === undefined ? undefined : this.findKey(apiKey);
    const fromBearer = bearer === undefined ? undefined : this.findKey(bearer.value);
    const key = fromField ?? fromBearer;
    if (!key) return undefined;
    const strip = fromField ? (fromBearer ? BOTH : API_KEY) : AUTHORIZATION;
    return { caller: this.keyCaller(key), address, strip };
  }

  private findKey(credential: string): ConfiguredKey | undefined {
    if (credential.length > LONGEST_API_KEY) return undefined;
    return this.options.findKey(credentialDigest(credential));
  }

  private async verify(credentials: Credentials, facts: RequestFacts, address: AddressCaller) {
    const { value, scheme } = credentials.bearer as NonNullable<Credentials['bearer']>;
    // Whatever goes wrong there, a request is limited: as one of nobody known.
    const subject = await this.options.verifier.verify(value, scheme, facts).catch(() => undefined);
    if (subject) return { caller: this.subjectCaller(subject), address, strip: NOTHING };
    this.failures.decide([{ key: address.hash, policy: FAILED_CHECKS, cost: 1 }]);
    return this.unknown(credentials, address);
  }

  private mayCheck(address: AddressCaller): boolean {
    const look = this.failures.decide([{ key: address.hash, policy: FAILED_CHECKS, cost: 0 }]);
    return look.reported.tokens >= 1;
  }

  private unknown({ apiKey, bearer }: Credentials, address: AddressCaller): Identified {
    const credential = (apiKey ?? bearer?.value) as string;
    const caller = unknownCaller(this.options.secret, credential, address);
    return { caller, address, strip: NOTHING };
  }

  private keyCaller(key: ConfiguredKey): Caller {
    let caller = this.keys.get(key);
    if (!caller) {
      caller = knownCaller(this.options.secret, 'key', key.name, key.tier);
      this.keys.set(key, caller);
    }
    return caller;
  }

  private subjectCaller({ kind, id }: VerifiedSubject): Caller {
    const name = `${kind}:${id}`;
    let caller = this.subjects.get(name);
    if (!caller) {
      caller = knownCaller(this.options.secret, kind, id);
      this.subjects.set(name, caller);
    }
    return caller;
  }

  private addressCaller(text: string): AddressCaller {
    let caller = this.addresses.get(text);
    if (!caller) {
      const address = readAddress(text);
      const network = address ? clientNetworkOf(address, this.options.ipv6PrefixBits) : 'none';
      caller = { ...knownCaller(this.options.secret, 'address', network), address };
      this.addresses.set(text, caller);
    }
    return caller;
  }
}
