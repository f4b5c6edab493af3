import {
  type LimitsDefinition,
  type LimitsDefinitionInput,
  limitsDefinition,
} from '@gatepost/contracts';

const input: LimitsDefinitionInput = {
  tiers: {
    anonymous: { second: { limit: 50, burst: 100 }, minute: 1_000, day: 100_000 },
    free: { second: { limit: 100, burst: 200 }, minute: 3_000, day: 500_000 },
    paid: { second: { limit: 1_000, burst: 2_000 }, minute: 50_000, day: 10_000_000 },
  },
  rules: [
    {
      name: 'create',
      match: [
        'POST /shorten',
        // As many links as a hundred single requests may make.
        { request: 'POST /links/bulk', cost: 100 },
        { request: 'POST /links/import', cost: 100 },
      ],
      limits: {
        anonymous: { second: { limit: 5, burst: 30 }, minute: 100, day: 2_000 },
        default: { second: { limit: 10, burst: 100 }, minute: 300, day: 20_000 },
      },
    },
  ],
};

/** What applies without a limits file. */
export const DEFAULT_LIMITS: LimitsDefinition = limitsDefinition.parse(input);
