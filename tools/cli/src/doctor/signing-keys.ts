import { signingKeyList } from '@gatepost/contracts';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { askManagement } from '../management-client.ts';
import { type Finding, fault, good, warning } from './finding.ts';

/** Where keys rotate by command alone, or the server does not say when. */
const OLDEST_SECONDS = 120 * 86_400;

/** Rotation looks once a minute and waits for caches of the old keys; after this much more it does not happen. */
const PATIENCE_SECONDS = 3_600;

/** The age of the keys that sign, for operators. Nothing where the management door or the token is not at hand. */
export async function lookAtSigningKeys(context: Context): Promise<Finding[]> {
  try {
    const { items, rotationSeconds = 0 } = await askManagement(context, 'auth', {
      method: 'GET',
      path: '/admin/signing-keys',
      answer: signingKeyList,
    });
    const current = items.filter(({ state }) => state === 'current');
    if (current.length === 0)
      return [fault('signing keys', 'No key signs.', 'gatepost keys rotate --immediately')];
    const born = Math.min(
      ...current.map(({ signsFrom, createdAt }) => Date.parse(signsFrom ?? createdAt)),
    );
    const ageSeconds = Math.max(0, (context.now() - born) / 1000);
    const isScheduled = rotationSeconds > 0;
    if (isScheduled && ageSeconds > rotationSeconds + PATIENCE_SECONDS) {
      const overdue = `One has signed for ${inWords(ageSeconds)}, though it should be replaced after ${inWords(rotationSeconds)}: no process rotates keys.`;
      return [warning('signing keys', overdue, 'gatepost keys rotate')];
    }
    if (!isScheduled && ageSeconds > OLDEST_SECONDS) {
      const old = `One has signed for ${inWords(ageSeconds)}, and nothing replaces it by itself.`;
      return [warning('signing keys', old, 'gatepost keys rotate')];
    }
    const next = items.some(({ state }) => state === 'next') ? ', the next is published' : '';
    const schedule = isScheduled ? ` of ${inWords(rotationSeconds)}` : '';
    return [good('signing keys', `signing for ${inWords(ageSeconds)}${schedule}${next}`)];
  } catch (error) {
    if (error instanceof CommandFailed) return [];
    throw error;
  }
}

function inWords(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} days`;
  if (seconds >= 2 * 3_600) return `${Math.floor(seconds / 3_600)} hours`;
  return `${Math.floor(seconds / 60)} minutes`;
}
