import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { partitionOf } from './kafka-partition.ts';

describe('partitionOf', () => {
  it('is what other clients of Kafka compute', () => {
    const theirs = Partitioners.DefaultPartitioner();
    const code = fc.stringMatching(/^[0-9A-Za-z]{6,8}$/);
    fc.assert(
      fc.property(code, fc.integer({ min: 1, max: 1_000 }), (key, partitions) => {
        const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
          partitionId,
          partitionErrorCode: 0,
          leader: 1,
          replicas: [1],
          isr: [1],
        }));
        const message = { key, value: null };
        expect(partitionOf(key, partitions)).toBe(
          theirs({ topic: 'clicks', partitionMetadata, message }),
        );
      }),
      runs(300),
    );
  });
});
