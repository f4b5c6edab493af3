import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const APP = fileURLToPath(new URL('../..', import.meta.url));
const WORKSPACE = fileURLToPath(new URL('../../../..', import.meta.url));

/** The compiled entry of the image, brought up to date: for specs that need processes to kill. */
export async function buildApp(): Promise<string> {
  const compiler = `${WORKSPACE}node_modules/typescript/bin/tsc`;
  await promisify(execFile)(process.execPath, [compiler, '-b', APP], { cwd: WORKSPACE });
  return `${APP}dist/main.js`;
}
