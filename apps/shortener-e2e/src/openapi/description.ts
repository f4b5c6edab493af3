import { readFileSync } from 'node:fs';

/** As much of JSON Schema as our description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const description: Description = JSON.parse(
  readFileSync(new URL('../../../shortener/openapi.json', import.meta.url), 'utf8'),
);

export interface NamedOperation {
  /** `get /links/{code}` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Scope that a token needs; undefined: no token is looked at. */
  readonly scope: string | undefined;
  readonly isTokenOptional: boolean;
}

export const operations: readonly NamedOperation[] = Object.entries(description.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
      scope: operation.security.find(({ accessToken }) => accessToken)?.['accessToken']?.[0],
      isTokenOptional: operation.security.some((way) => Object.keys(way).length === 0),
    })),
);

export function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = description.components.schemas[name];
  if (!found) throw new Error(`the description has no schema ${name}`);
  return found;
}
