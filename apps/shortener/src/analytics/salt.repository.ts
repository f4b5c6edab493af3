import { randomBytes } from 'node:crypto';
import type { Pool } from '@gatepost/postgres';

const DAY_MS = 86_400_000;

/**
 * The daily salts of visitor hashes. A salt is made for today, and for yesterday's stragglers; once it is destroyed it is
 * never made again, or the same visitors would count twice.
 */
export class SaltRepository {
  private readonly known = new Map<number, string>();

  constructor(private readonly pool: Pool) {}

  /** The salt of a day (days since 1970), or undefined where visitors are no longer told apart. */
  async saltOf(day: number, now: number): Promise<string | undefined> {
    const oldest = oldestSaltedDay(now);
    for (const remembered of this.known.keys())
      if (remembered < oldest) this.known.delete(remembered);
    if (day < oldest) return undefined;
    let salt = this.known.get(day);
    if (salt === undefined) {
      salt = await this.readOrMake(day);
      this.known.set(day, salt);
    }
    return salt;
  }

  /** Destroys the salts that are no longer given out. Returns how many. */
  async destroyOld(now: number): Promise<number> {
    const { rowCount } = await this.pool.query(
      "DELETE FROM click_salts WHERE day < date '1970-01-01' + $1::int",
      [oldestSaltedDay(now)],
    );
    return rowCount ?? 0;
  }

  private async readOrMake(day: number): Promise<string> {
    // Two workers may both find none: the first one's stays, and both read it.
    await this.pool.query(
      "INSERT INTO click_salts (day, salt) VALUES (date '1970-01-01' + $1::int, $2) ON CONFLICT DO NOTHING",
      [day, randomBytes(32)],
    );
    const { rows } = await this.pool.query<{ salt: Buffer }>(
      "SELECT salt FROM click_salts WHERE day = date '1970-01-01' + $1::int",
      [day],
    );
    return (rows[0] as { salt: Buffer }).salt.toString('hex');
  }
}

function oldestSaltedDay(now: number): number {
  return Math.floor(now / DAY_MS) - 1;
}
