import { parseSync } from '@swc/core';

/** What the checks need to know of one source file. Lines count from 1. */
export interface SourceFile {
  /** Relative to the workspace, with slashes. */
  readonly path: string;
  readonly imports: readonly ImportedModule[];
  readonly environmentReads: readonly { line: number; handsOver: boolean }[];
  /** Constructors by line and number of parameters. */
  readonly constructors: readonly { line: number; parameters: number }[];
  /** `export *` and anything that index.ts itself defines. */
  readonly unnamedExports: readonly number[];
  readonly emptyCatches: readonly number[];
  /** `.only`, `.skip` and their short forms on describe, it and test. */
  readonly testModifiers: readonly { line: number; modifier: 'only' | 'skip' }[];
  readonly comments: readonly Comment[];
  /** Lines that hold more than space and comments. */
  readonly codeLines: number;
}

export interface ImportedModule {
  readonly specifier: string;
  readonly line: number;
  /** `import()`. */
  readonly dynamic: boolean;
}

export interface Comment {
  readonly line: number;
  readonly lastLine: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly span: { readonly start: number; readonly end: number };
  readonly [field: string]: unknown;
}

const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);
const SHORT_FORMS = new Map<string | undefined, 'only' | 'skip'>([
  ['fdescribe', 'only'],
  ['fit', 'only'],
  ['xdescribe', 'skip'],
  ['xit', 'skip'],
  ['xtest', 'skip'],
]);

export function readSource(path: string, text: string): SourceFile {
  const bytes = Buffer.from(text);
  const lineOf = lineIndex(bytes);
  const facts = {
    imports: [] as ImportedModule[],
    environmentReads: [] as { line: number; handsOver: boolean }[],
    constructors: [] as { line: number; parameters: number }[],
    unnamedExports: [] as number[],
    emptyCatches: [] as number[],
    testModifiers: [] as { line: number; modifier: 'only' | 'skip' }[],
  };
  const literals: Node['span'][] = [];
  const emptyBlocks: Node['span'][] = [];
  const alternatives = new Set<unknown>();
  const handovers = new Set<unknown>();
  // Spans are byte offsets that count from 1.
  const at = (node: Node): number => lineOf(node.span.start - 1);

  const module = parseSync(text, { syntax: 'typescript', decorators: true }) as unknown as Node;
  for (const item of module['body'] as Node[]) {
    if (isUnnamedExport(item)) facts.unnamedExports.push(at(item));
  }
  walk(module, (node) => {
    if (LITERALS.has(node.type)) literals.push(node.span);
    const imported = importOf(node);
    if (imported) facts.imports.push({ ...imported, line: at(node) });
    const handedOver = argumentOfParse(node);
    if (handedOver !== undefined) handovers.add(handedOver);
    if (readsEnvironment(node)) {
      facts.environmentReads.push({ line: at(node), handsOver: handovers.has(node) });
    }
    if (node.type === 'Constructor') {
      facts.constructors.push({ line: at(node), parameters: (node['params'] as Node[]).length });
    }
    if (node.type === 'CatchClause') {
      const body = node['body'] as Node;
      if ((body['stmts'] as Node[]).length === 0) emptyBlocks.push(body.span);
    }
    if (node.type === 'ConditionalExpression') {
      alternatives.add(node['consequent']);
      alternatives.add(node['alternate']);
    }
    const modifier = testModifierOf(node);
    // `server ? describe : describe.skip` says why itself.
    if (modifier && !(modifier === 'skip' && alternatives.has(node)))
      facts.testModifiers.push({ line: at(node), modifier });
  });

  const { comments, code } = separateComments(blank(bytes, literals), lineOf);
  for (const block of emptyBlocks) {
    // A comment says why nothing is done, and then it is not forgotten.
    const [first, last] = [lineOf(block.start - 1), lineOf(block.end - 2)];
    if (!comments.some(({ line }) => line >= first && line <= last)) facts.emptyCatches.push(first);
  }
  const codeLines = code.split('\n').filter((line) => line.trim() !== '').length;
  return { path, ...facts, comments, codeLines };
}

const LITERALS = new Set(['StringLiteral', 'TemplateElement', 'RegExpLiteral']);

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit);
  } else if (value !== null && typeof value === 'object') {
    const node = value as Node;
    if (typeof node.type === 'string' && node.span !== undefined) visit(node);
    for (const field of Object.values(node)) walk(field, visit);
  }
}

function importOf(node: Node): Omit<ImportedModule, 'line'> | undefined {
  if (
    node.type === 'ImportDeclaration' ||
    node.type === 'ExportNamedDeclaration' ||
    node.type === 'ExportAllDeclaration'
  ) {
    const source = node['source'] as { value: string } | null | undefined;
    return source ? { specifier: source.value, dynamic: false } : undefined;
  }
  if (node.type !== 'CallExpression' || (node['callee'] as Node).type !== 'Import')
    return undefined;
  const [argument] = node['arguments'] as { expression: Node }[];
  return argument?.expression.type === 'StringLiteral'
    ? { specifier: argument.expression['value'] as string, dynamic: true }
    : undefined;
}

/** `process.env`, and `env` taken from node:process, which is the same by another name. */
function readsEnvironment(node: Node): boolean {
  if (node.type === 'MemberExpression') {
    return nameOf(node['object']) === 'process' && nameOf(node['property']) === 'env';
  }
  if (node.type !== 'ImportDeclaration') return false;
  const source = (node['source'] as { value: string }).value;
  return (
    /^(node:)?process$/.test(source) &&
    (node['specifiers'] as Node[]).some(
      (specifier) => nameOf(specifier['imported'] ?? specifier['local']) === 'env',
    )
  );
}

/** `schema.parse(argument)`. */
function argumentOfParse(node: Node): unknown {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node['callee'] as Node;
  if (callee.type !== 'MemberExpression' || nameOf(callee['property']) !== 'parse')
    return undefined;
  return (node['arguments'] as { expression: Node }[])[0]?.expression;
}

function testModifierOf(node: Node): 'only' | 'skip' | undefined {
  if (node.type === 'CallExpression') {
    return SHORT_FORMS.get(nameOf(node['callee']));
  }
  if (node.type !== 'MemberExpression') return undefined;
  const modifier = nameOf(node['property']);
  if (modifier !== 'only' && modifier !== 'skip') return undefined;
  return TEST_FUNCTIONS.has(nameOf(node['object']) ?? '') ? modifier : undefined;
}

/** Everything but `export { a, b } from './file.ts'` and its type form. */
function isUnnamedExport(item: Node): boolean {
  if (item.type === 'ExportNamedDeclaration') {
    const names = (item['specifiers'] as Node[]).map((specifier) => specifier.type);
    return item['source'] === null || names.includes('ExportNamespaceSpecifier');
  }
  return item.type !== 'ImportDeclaration';
}

function nameOf(value: unknown): string | undefined {
  const node = value as Node | null | undefined;
  return node?.type === 'Identifier' ? (node['value'] as string) : undefined;
}

/** Literals become x, so that no string looks like a comment. Line breaks stay. */
function blank(bytes: Buffer, spans: readonly Node['span'][]): string {
  const copy = Buffer.from(bytes);
  for (const { start, end } of spans) {
    for (let at = start - 1; at < end - 1; at += 1) if (copy[at] !== 0x0a) copy[at] = 0x78;
  }
  return copy.toString('latin1');
}

function separateComments(
  text: string,
  lineOf: (offset: number) => number,
): { comments: Comment[]; code: string } {
  const comments: Comment[] = [];
  const code = text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (comment, offset: number) => {
    const last = lineOf(offset + comment.length - 1);
    comments.push({ line: lineOf(offset), lastLine: last, text: comment });
    return comment.replace(/[^\n]/g, ' ');
  });
  return { comments, code };
}

function lineIndex(bytes: Buffer): (offset: number) => number {
  const breaks: number[] = [];
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) breaks.push(at);
  return (offset) => {
    let [low, high] = [0, breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
