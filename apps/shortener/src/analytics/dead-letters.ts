import type { Logger } from '@gatepost/service-kit';
import { type Kafka, type KafkaMessage, Partitioners, type Producer } from 'kafkajs';

export interface DeadLetter {
  readonly partition: number;
  readonly message: KafkaMessage;
  readonly reason: string;
}

/** Puts what cannot be counted where somebody can look at it: the message as it was, and the reason in its headers. */
export class DeadLetters {
  private readonly producer: Producer;
  private connected: Promise<void> | undefined;

  constructor(
    kafka: Kafka,
    private readonly options: {
      readonly topic: string;
      readonly deadLetterTopic: string;
      readonly logger: Logger;
    },
  ) {
    this.producer = kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
  }

  /**
   * Sends, at least once. Where the topic cannot be written, the letters are lost, with a line in the log: a partition full
   * of clicks must not wait for one message that is none.
   */
  async send(letters: readonly DeadLetter[]): Promise<void> {
    const { topic, deadLetterTopic, logger } = this.options;
    try {
      this.connected ??= this.producer.connect();
      await this.connected;
      const messages = letters.map(({ message, partition, reason }) => ({
        key: message.key,
        value: message.value,
        headers: {
          ...message.headers,
          'dead-letter-reason': reason,
          'dead-letter-topic': topic,
          'dead-letter-partition': String(partition),
          'dead-letter-offset': message.offset,
        },
      }));
      await this.producer.send({ topic: deadLetterTopic, messages, acks: -1 });
    } catch (error) {
      this.connected = undefined;
      const places = letters.map(
        ({ partition, message, reason }) => `${partition}/${message.offset}: ${reason}`,
      );
      logger.error({ err: error, letters: places.slice(0, 20) }, 'dead letters could not be sent');
    }
  }

  async close(): Promise<void> {
    if (this.connected) await this.producer.disconnect();
  }
}
