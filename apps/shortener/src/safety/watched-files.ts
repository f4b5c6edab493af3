import { open, stat } from 'node:fs/promises';
import { type Logger, StartRefused } from '@gatepost/service-kit';

/** Files are looked at this often. A watch would miss the swapped symbolic links of a mounted ConfigMap. */
const LOOK_EVERY_MS = 1_000;

/** What the lines of some files are made into. */
export interface LineReader {
  /** Names the files when something is wrong with them: the variable that they come from. */
  readonly variable: string;
  readonly paths: readonly string[];
  /** A new reading begins; `addLine` is false for a line that means nothing; `finish` puts the reading in force. */
  begin(): { addLine(line: string): boolean; finish(): number };
}

/** Reads files of lines at the start and again whenever one of them changes. */
export class WatchedFiles {
  private timer: NodeJS.Timeout | undefined;
  private seen = '';
  private looking = false;

  constructor(
    private readonly reader: LineReader,
    private readonly logger: Logger,
  ) {}

  /** A file that cannot be read now refuses the start. */
  async start(): Promise<void> {
    if (this.reader.paths.length === 0) return;
    try {
      await this.look();
    } catch (error) {
      throw new StartRefused(`${this.reader.variable}: ${(error as Error).message}`);
    }
    this.timer = setInterval(() => void this.lookAgain(), LOOK_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Files that vanish or cannot be read leave the last good reading in force. */
  private async lookAgain(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      await this.look();
    } catch (error) {
      const { variable } = this.reader;
      this.logger.error(
        { err: error, variable },
        'cannot be read; the last reading stays in force',
      );
    } finally {
      this.looking = false;
    }
  }

  private async look(): Promise<void> {
    const { paths, variable } = this.reader;
    const states = await Promise.all(paths.map((path) => stat(path)));
    const seen = states.map(({ mtimeMs, size, ino }) => `${mtimeMs}:${size}:${ino}`).join();
    if (seen === this.seen) return;
    const reading = this.reader.begin();
    let unknownLines = 0;
    for (const path of paths) {
      const file = await open(path);
      for await (const line of file.readLines()) if (!reading.addLine(line)) unknownLines += 1;
    }
    const entries = reading.finish();
    this.seen = seen;
    this.logger.info({ variable, entries, unknownLines }, 'list loaded');
  }
}
