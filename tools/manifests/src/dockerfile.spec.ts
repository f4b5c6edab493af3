import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORKSPACE } from './compose.ts';

const text = readFileSync(join(WORKSPACE, 'Dockerfile'), 'utf8');
/** Instructions, one a line. */
const lines = text
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line));
const runtime = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
const of = (instruction: string) => runtime.filter((line) => line.startsWith(`${instruction} `));

/** It was built without BuildKit (k8s/README.md, Images): this keeps it buildable so, and what it promises. */
describe('the Dockerfile', () => {
  it('takes its bases as arguments, each of one version', () => {
    const bases = lines.filter((line) => line.startsWith('FROM '));
    for (const base of bases) expect(base).toMatch(/^FROM \$\{(BUILD|RUNTIME)_IMAGE\}/);
    expect(lines).toContainEqual(expect.stringMatching(/^ARG BUILD_IMAGE=\S+:\d+\.\d+\.\d+/));
    expect(lines).toContainEqual(
      expect.stringMatching(/^ARG RUNTIME_IMAGE=\S+nodejs24-\S+:nonroot$/),
    );
  });

  it('uses nothing that BuildKit alone knows', () => {
    expect(text).not.toMatch(/^COPY .*--parents|^RUN --mount=type=(secret|ssh)|<<-?[A-Z]/m);
  });

  it('needs no shell at run time: commands are lists', () => {
    expect(of('RUN')).toEqual([]);
    expect(of('ENTRYPOINT')).toEqual([
      expect.stringMatching(/^ENTRYPOINT \["\/nodejs\/bin\/node", /),
    ]);
    expect(of('HEALTHCHECK')).toEqual([expect.stringMatching(/ CMD \["\/nodejs\/bin\/node", /)]);
  });

  it('runs as a user by number, in production, and ends on SIGTERM', () => {
    expect(of('USER')).toEqual(['USER 65532:65532']);
    expect(of('ENV').join()).toContain('GATEPOST_ENV=production');
    expect(of('STOPSIGNAL')).toEqual(['STOPSIGNAL SIGTERM']);
  });

  it('says what it is', () => {
    for (const label of ['title', 'description', 'licenses', 'version', 'revision'])
      expect(of('LABEL').join()).toContain(`org.opencontainers.image.${label}=`);
  });

  it('copies no secret and no local build into an image', () => {
    const ignored = readFileSync(join(WORKSPACE, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['.env', '.git', '.data', '**/node_modules', '**/dist']),
    );
  });
});
