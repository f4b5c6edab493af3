import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CommandFailed } from '../command-failed.ts';
import { withLock } from './file-lock.ts';
import type { Session } from './session.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;
const OTHERS_MAY_READ_OR_WRITE = 0o077;
const OTHERS_MAY_WRITE = 0o022;

const session = z.object({
  issuer: z.string(),
  clientId: z.string(),
  subject: z.string(),
  name: z.string().optional(),
  email: z.string().optional(),
  emailVerified: z.boolean().default(false),
  scope: z.string(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  expiresAt: z.number(),
  signedInAt: z.number(),
});

const content = z.object({ version: z.literal(1), sessions: z.record(z.string(), session) });
type Content = z.infer<typeof content>;

/** The sessions of this user, one a base address, in a file that nobody else can read. */
export class CredentialFile {
  readonly path: string;

  constructor(directory: string) {
    this.path = join(directory, 'credentials.json');
  }

  async find(baseUrl: string): Promise<Session | undefined> {
    const { sessions } = await this.#read();
    return Object.hasOwn(sessions, baseUrl) ? toSession(sessions[baseUrl]) : undefined;
  }

  /** Stores what `change` makes of a session, and returns it; undefined removes it. Nobody else changes anything meanwhile. */
  async change(
    baseUrl: string,
    change: (current: Session | undefined) => Promise<Session | undefined> | Session | undefined,
  ): Promise<Session | undefined> {
    await this.#prepareDirectory();
    return withLock(`${this.path}.lock`, async () => {
      const { sessions } = await this.#read();
      const current = Object.hasOwn(sessions, baseUrl) ? toSession(sessions[baseUrl]) : undefined;
      const changed = await change(current);
      if (changed === current) return current;
      const { [baseUrl]: _, ...others } = sessions;
      await this.#write({
        version: 1,
        sessions: changed
          ? { ...others, [baseUrl]: changed as Content['sessions'][string] }
          : others,
      });
      return changed;
    });
  }

  async #read(): Promise<Content> {
    let text: string;
    try {
      await this.#closeToOthers();
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { version: 1, sessions: {} };
      throw new CommandFailed(`${this.path} cannot be read.`, { cause: error });
    }
    const parsed = content.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new CommandFailed(`${this.path} is damaged.`, {
      cure: 'Delete it and run "gatepost login".',
    });
  }

  /** Copied or restored files come with other permissions. */
  async #closeToOthers(): Promise<void> {
    if (process.platform === 'win32') return;
    const { mode } = await stat(this.path);
    if ((mode & OTHERS_MAY_READ_OR_WRITE) !== 0) await chmod(this.path, PRIVATE_FILE);
  }

  /** A new file takes the place of the old one in one step: a crash leaves one of the two, whole. */
  async #write(value: Content): Promise<void> {
    const draft = `${this.path}.${randomUUID()}`;
    try {
      const file = await open(draft, 'wx', PRIVATE_FILE);
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await file.sync();
      await file.close();
      await rename(draft, this.path);
    } catch (error) {
      await rm(draft, { force: true });
      throw new CommandFailed(`${this.path} cannot be written.`, { cause: error });
    }
  }

  async #prepareDirectory(): Promise<void> {
    const directory = dirname(this.path);
    try {
      await mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
    } catch (error) {
      throw new CommandFailed(`${directory} cannot be created.`, { cause: error });
    }
    if (process.platform === 'win32') return;
    const { mode } = await stat(directory);
    // Whoever may write there could swap the file for another.
    if ((mode & OTHERS_MAY_WRITE) !== 0)
      throw new CommandFailed(`Others may write to ${directory}, so no tokens are kept there.`, {
        cure: `Run "chmod 700 ${directory}", or set GATEPOST_CONFIG_DIR to another directory.`,
      });
  }
}

function toSession(stored: Content['sessions'][string] | undefined): Session | undefined {
  if (!stored) return undefined;
  const { name, email, refreshToken } = stored;
  return { ...stored, name, email, refreshToken };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
