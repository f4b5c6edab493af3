import { signingKeyList } from '@gatepost/contracts';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { askManagement } from '../management-client.ts';
import { type Finding, fault, good, warning } from './finding.ts';

/** Rotation is scheduled far below this; an older key means that it does not happen. */
const OLDEST_DAYS = 120;
const DAY_MS = 86_400_000;

/** The age of the keys that sign, for operators. Nothing where the management door or the token is not at hand. */
export async function lookAtSigningKeys(context: Context): Promise<Finding[]> {
  try {
    const { items } = await askManagement(context, 'auth', {
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
    const days = Math.max(0, Math.floor((context.now() - born) / DAY_MS));
    if (days > OLDEST_DAYS)
      return [warning('signing keys', `One has signed for ${days} days.`, 'gatepost keys rotate')];
    const next = items.some(({ state }) => state === 'next') ? ', the next is published' : '';
    return [good('signing keys', `signing for ${days} days${next}`)];
  } catch (error) {
    if (error instanceof CommandFailed) return [];
    throw error;
  }
}
