import { problem } from '@gatepost/contracts';
import { problemTypes, problemTypeUri } from '@gatepost/problem-details';
import { z } from 'zod';
import { type Operation, operations } from './operations.ts';

/** As parseIdempotencyKey reads it. */
const IDEMPOTENCY_KEY = '^([!#-~]{1,255}|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 description, whose schemas are the very ones that requests are checked with. */
export function openApiDocument(publicUrl: string): Json {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const described = describeOperation(operation, schemas);
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatepost links',
      version: '1.0.0',
      description:
        'Short links: create, follow, manage. Every error is an RFC 9457 problem; requests are limited, see the `X-RateLimit-*` fields of each answer and `Retry-After` of a 429.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      schemas: sortMembers(schemas),
      securitySchemes: {
        accessToken: {
          type: 'openIdConnect',
          openIdConnectUrl: `${publicUrl}/auth/.well-known/openid-configuration`,
          description: 'A bearer access token (RFC 9068) whose audience is this service',
        },
      },
    },
  };
}

function describeOperation(operation: Operation, schemas: Record<string, unknown>): Json {
  const { answer, moreAnswers = [], body, scope } = operation;
  const responses: Record<string, unknown> = {
    [answer.status]: {
      description: answer.description,
      ...describeHeaders(answer.headers),
      ...(answer.content ? { content: describeContent(answer.content, 'output', schemas) } : {}),
    },
  };
  for (const { status, description, headers } of moreAnswers)
    responses[status] = { description, ...describeHeaders(headers) };
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    ...(scope
      ? { security: [...(operation.tokenOptional ? [{}] : []), { accessToken: [scope] }] }
      : { security: [] }),
    ...describeParameters(operation),
    ...(body
      ? { requestBody: { required: true, content: describeContent(body, 'input', schemas) } }
      : {}),
    responses: { ...responses, ...describeProblems(operation, schemas) },
  };
}

function describeParameters({ path, query, repeatable }: Operation): Json {
  const parameters: Json[] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: '^[0-9A-Za-z]{6,8}$' },
  }));
  const { properties = {}, required = [] } = query
    ? (toJsonSchema(query, 'input') as {
        properties?: Record<string, Json>;
        required?: string[];
      })
    : {};
  for (const [name, { description, ...schema }] of Object.entries(properties))
    parameters.push({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description ? { description } : {}),
      schema,
    });
  if (repeatable)
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'For 24 hours the same key with the same body gets the same answer. Quoted or bare, up to 255 characters.',
      schema: { type: 'string', pattern: IDEMPOTENCY_KEY },
    });
  return parameters.length > 0 ? { parameters } : {};
}

/** One answer a status; its description names every problem type that has it. */
function describeProblems({ problems }: Operation, schemas: Record<string, unknown>): Json {
  const byStatus = new Map<number, string[]>();
  for (const code of problems) {
    const { status, title } = problemTypes[code];
    byStatus.set(status, [
      ...(byStatus.get(status) ?? []),
      `\`${problemTypeUri(code)}\`: ${title}`,
    ]);
  }
  byStatus.set(429, ['Too many requests; the gateway answers this']);
  return Object.fromEntries(
    [...byStatus].map(([status, meanings]) => [
      status,
      {
        description: meanings.join('; '),
        ...(status === 429 || status === 503
          ? describeHeaders({ 'Retry-After': 'Seconds to wait' })
          : {}),
        content: { 'application/problem+json': { schema: refTo(problem, 'output', schemas) } },
      },
    ]),
  );
}

function describeHeaders(headers: Readonly<Record<string, string>> | undefined): Json {
  if (!headers) return {};
  return {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
  };
}

function describeContent(
  content: Readonly<Record<string, z.ZodType | 'text' | 'binary'>>,
  io: 'input' | 'output',
  schemas: Record<string, unknown>,
): Json {
  return Object.fromEntries(
    Object.entries(content).map(([mediaType, schema]) => [
      mediaType,
      schema === 'binary'
        ? {}
        : { schema: schema === 'text' ? { type: 'string' } : refTo(schema, io, schemas) },
    ]),
  );
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Zod names its own bounds for whole numbers; they say nothing about this interface.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // The format says it, in fewer than 300 characters.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
}

/** Puts a schema with an id, and those it uses, under `components.schemas`; others stay where they are. */
function refTo(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, unknown>): Json {
  const { $schema, $defs, id, ...described } = toJsonSchema(schema, io);
  for (const [name, definition] of Object.entries($defs ?? {})) {
    const { id: _id, ...rest } = definition as Record<string, unknown>;
    schemas[name] = rewriteRefs(rest);
  }
  const rewritten = rewriteRefs(described) as Json;
  if (typeof id !== 'string') return rewritten;
  schemas[id] = rewritten;
  return { $ref: `#/components/schemas/${id}` };
}

function rewriteRefs(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function sortMembers(members: Record<string, unknown>): Json {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
