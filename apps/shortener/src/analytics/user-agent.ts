import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

/** What a User-Agent says of its program. Empty: unknown. */
export interface AgentTraits {
  readonly isBot: boolean;
  readonly browser: string;
  readonly system: string;
  readonly device: string;
}

/** A browser always names itself: what does not is a program. */
const NAMELESS: AgentTraits = { isBot: true, browser: '', system: '', device: '' };

/** Longer ones are made up, and parsing takes time by length. */
const PARSED_LENGTH = 512;

const BROWSERS = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS = new Set(Object.values(Bowser.OS_MAP));
const DEVICES = new Set(Object.values(Bowser.PLATFORMS_MAP));

/** Reads a User-Agent. Names are those of bowser, a closed list; a name that is not on it stays unknown. */
export function describeAgent(userAgent: string | null): AgentTraits {
  if (userAgent === null || userAgent.trim() === '') return NAMELESS;
  const text = userAgent.slice(0, PARSED_LENGTH);
  const { browser, os, platform } = Bowser.parse(text);
  return {
    isBot: isbot(text),
    browser: nameOf(browser.name, BROWSERS),
    system: nameOf(os.name, SYSTEMS),
    device: nameOf(platform.type, DEVICES),
  };
}

/** Bowser falls back to the first word of the header, which anyone may choose: unchecked, it would grow our tables. */
function nameOf(name: string | undefined, known: ReadonlySet<string>): string {
  return name !== undefined && known.has(name) ? name : '';
}

export type DescribeAgent = (userAgent: string | null) => AgentTraits;

/** The same, remembering the agents seen last: parsing takes a hundred times as long as looking up. */
export function rememberAgents(entries: number): DescribeAgent {
  const known = new LRUCache<string, AgentTraits>({ max: entries });
  return (userAgent) => {
    if (userAgent === null) return NAMELESS;
    let traits = known.get(userAgent);
    if (traits === undefined) {
      traits = describeAgent(userAgent);
      known.set(userAgent, traits);
    }
    return traits;
  };
}
