import type { Kafka } from 'kafkajs';

/** What the brokers know of a topic's log, asked anew each time. */
export class TopicLog {
  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
  ) {}

  /** Offsets mean nothing in another cluster. */
  readClusterId(): Promise<string> {
    return this.withAdmin(async (admin) => (await admin.describeCluster()).clusterId);
  }

  /** First offset of a partition, and the one after its last. */
  async boundsOf(partition: number): Promise<{ low: bigint; high: bigint }> {
    const offsets = await this.withAdmin((admin) => admin.fetchTopicOffsets(this.topic));
    const found = offsets.find((offset) => offset.partition === partition);
    if (found === undefined) throw new Error(`the topic has no partition ${partition}`);
    return { low: BigInt(found.low), high: BigInt(found.high) };
  }

  /** Offset of the first message that is not older than a time (milliseconds), or the end of the log. */
  async offsetAt(partition: number, time: number): Promise<bigint> {
    const offsets = await this.withAdmin((admin) =>
      admin.fetchTopicOffsetsByTimestamp(this.topic, Math.floor(time)),
    );
    return BigInt(offsets.find((offset) => offset.partition === partition)?.offset ?? 0);
  }

  private async withAdmin<T>(work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}
