import { randomUUID } from 'node:crypto';
import { elapsed, findProgram, runCommand } from './run-command.ts';
import type { ServerCommand } from './server-process.ts';
import { type Say, ServiceUnavailable } from './service.ts';

export interface ContainerImage {
  readonly image: string;
  /** Where the server listens inside. */
  readonly port: number;
  readonly env?: Record<string, string>;
  readonly args?: readonly string[];
}

/**
 * The command that runs a server in a container, where no program could be had: the last resort, because an image is a hundred times
 * the size of the program. `docker run` stays in the foreground, so that its process stands for the server's.
 */
export async function runInContainer(
  unavailable: unknown,
  image: ContainerImage,
  hostPort: number,
  say: Say,
): Promise<ServerCommand> {
  const docker = findProgram('docker', 'podman');
  if (!(unavailable instanceof ServiceUnavailable) || docker === undefined) throw unavailable;
  await runCommand(docker, ['version'], { timeoutMs: 10_000 }).catch(() => {
    throw unavailable; // the client is there, no daemon answers
  });
  await pullOnce(docker, image.image, say);
  const container = `gatepost-test-${randomUUID()}`;
  const env = Object.entries(image.env ?? {}).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  const publish = ['-p', `127.0.0.1:${hostPort}:${image.port}`];
  return {
    program: docker,
    args: [
      'run',
      '--rm',
      '--name',
      container,
      ...publish,
      ...env,
      image.image,
      ...(image.args ?? []),
    ],
    container,
  };
}

async function pullOnce(docker: string, image: string, say: Say): Promise<void> {
  const present = await runCommand(docker, ['image', 'inspect', image]).catch(() => undefined);
  if (present !== undefined) return;
  const began = Date.now();
  await runCommand(docker, ['pull', image], { timeoutMs: 600_000 });
  say(`${image} pulled (${elapsed(began)})`);
}
