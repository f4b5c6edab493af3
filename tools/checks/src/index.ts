export { type Finding, showFinding } from './finding.ts';
export { CHECKS, runChecks } from './run-checks.ts';
export { readWorkspace, type Workspace } from './workspace.ts';
