import type { Finding } from './finding.ts';
import type { SourceFile } from './source-file.ts';
import type { Workspace } from './workspace.ts';

const SUPPRESSION =
  /\b(biome-ignore(?:-all|-start)?|oxlint-disable|eslint-disable)|@ts-(ignore|nocheck|expect-error)/;
/** After a colon or two dashes. */
const REASON = /(:|--)\s*\S.{5,}/;

/** What switches a test or a rule off says why. */
export function checkExcuses({ projects }: Workspace): Finding[] {
  return projects.flatMap(({ files }) =>
    files.flatMap((file) => [
      ...checkTests(file),
      ...checkSuppressions(file),
      ...checkCatches(file),
    ]),
  );
}

function checkTests(file: SourceFile): Finding[] {
  return file.testModifiers
    .filter(({ modifier, line }) => modifier === 'only' || !isExplained(file, line))
    .map(({ modifier, line }) => ({
      rule: 'excuses',
      file: file.path,
      line,
      message:
        modifier === 'only'
          ? '.only leaves all other tests out'
          : '.skip needs a comment that says why, on its line or the one above',
    }));
}

function checkSuppressions(file: SourceFile): Finding[] {
  return file.comments
    .filter(({ text }) => SUPPRESSION.test(text) && !REASON.test(text.replace(/lint\/[\w/]+/, '')))
    .map(({ line }) => ({
      rule: 'excuses',
      file: file.path,
      line,
      message: 'a suppressed rule needs its reason, after a colon',
    }));
}

function checkCatches(file: SourceFile): Finding[] {
  return file.emptyCatches.map((line) => ({
    rule: 'excuses',
    file: file.path,
    line,
    message: 'an empty catch needs a comment that says why nothing is to be done',
  }));
}

function isExplained(file: SourceFile, line: number): boolean {
  return file.comments.some((comment) => comment.line === line || comment.lastLine === line - 1);
}
