import { stat } from 'node:fs/promises';
import type { Context } from '../context.ts';
import { CredentialFile } from '../credentials/credential-file.ts';
import { isLoopback } from '../environment.ts';
import { type Finding, fault, good, note, warning } from './finding.ts';

/** Node, the address, the stored sign-in. */
export async function lookAtThisMachine(context: Context, nodeVersion: string): Promise<Finding[]> {
  return [
    lookAtNode(nodeVersion),
    lookAtAddress(context),
    ...lookAtProxies(context),
    await lookAtSession(context),
  ];
}

function lookAtNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isSupported = (major === 20 && minor >= 20) || (major === 22 && minor >= 12) || major >= 24;
  return isSupported
    ? good('node', `Node ${version}`)
    : fault('node', `Node ${version} is not supported.`, 'Use Node 24 (20.20 and 22.12 work too).');
}

function lookAtAddress({ baseUrl, environment }: Context): Finding {
  if (baseUrl.startsWith('https://') || isLoopback(baseUrl)) return good('address', baseUrl);
  return environment.allowHttp
    ? warning('address', `${baseUrl} is not encrypted.`, 'Use https outside of your own network.')
    : fault(
        'address',
        `${baseUrl} is not encrypted, so nobody can sign in there.`,
        'Use an https address.',
      );
}

function lookAtProxies({ environment }: Context): Finding[] {
  const { proxyVariables } = environment;
  if (proxyVariables.length === 0) return [];
  const sentence = `${proxyVariables.join(', ')} set, but not used: this command connects directly.`;
  return [note('proxy', sentence)];
}

async function lookAtSession(context: Context): Promise<Finding> {
  const file = new CredentialFile(context.environment.configDir);
  const session = await file.find(context.baseUrl);
  if (!session) return note('sign-in', 'Nobody is signed in.', 'gatepost login');
  if (process.platform !== 'win32' && ((await stat(file.path)).mode & 0o077) !== 0)
    return fault('sign-in', `Others can read ${file.path}.`, `chmod 600 ${file.path}`);
  const seconds = Math.round(session.expiresAt - context.now() / 1000);
  const who = session.email ?? session.subject;
  if (seconds <= 0 && !session.refreshToken)
    return warning('sign-in', `The session of ${who} has ended.`, 'gatepost login');
  return good(
    'sign-in',
    `${who}, ${seconds > 0 ? `token good for ${seconds} s` : 'renewed on next use'}`,
  );
}
