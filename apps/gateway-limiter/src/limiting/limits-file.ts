import { type LimitsDefinition, limitsDefinition } from '@gatepost/contracts';
import { parseDefinition } from '../definition-file.ts';
import { NetworkRefused, readNetworks } from '../identity/networks.ts';
import { isCallerEntry } from './limits-in-force.ts';

/** Reads limits from YAML or JSON; throws DefinitionRefused with all faults. */
export function parseLimits(file: string, text: string): LimitsDefinition {
  return parseDefinition(file, text, limitsDefinition, listFaults);
}

/** What the two lists may hold is more than a schema says. */
function listFaults(definition: LimitsDefinition): string[] {
  return (['allow', 'deny'] as const).flatMap((list) =>
    definition[list].flatMap((entry, index) => {
      if (isCallerEntry(entry)) return [];
      try {
        readNetworks([entry]);
        return [];
      } catch (error) {
        if (!(error instanceof NetworkRefused)) throw error;
        return [`${list}.${index}: ${error.message}, nor key:…, user:… or client:…`];
      }
    }),
  );
}
