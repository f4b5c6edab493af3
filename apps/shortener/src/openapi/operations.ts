import {
  bulkCreateDocumented,
  bulkResults,
  changeLink,
  createLink,
  exportedLinks,
  importDocumented,
  link,
  linkListParameters,
  linkPage,
  linkStats,
  statsQuery,
} from '@gatepost/contracts';
import type { ProblemCode } from '@gatepost/problem-details';
import { z } from 'zod';

export interface Operation {
  readonly method: 'get' | 'head' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Scope of the access token; undefined: none is looked at. */
  readonly scope?: 'links:read' | 'links:write';
  readonly tokenOptional?: boolean;
  readonly query?: z.ZodObject;
  readonly body?: Readonly<Record<string, z.ZodType>>;
  /** Whether an Idempotency-Key is honoured. */
  readonly repeatable?: boolean;
  readonly answer: {
    readonly status: number;
    readonly description: string;
    /** Media type → schema; text ones need none. */
    readonly content?: Readonly<Record<string, z.ZodType | 'text' | 'binary'>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
  readonly moreAnswers?: readonly {
    readonly status: number;
    readonly description: string;
    readonly headers?: Readonly<Record<string, string>>;
  }[];
  readonly problems: readonly ProblemCode[];
}

const JSON_TYPE = 'application/json';

/** What reading a link needs. */
const OWNER_PROBLEMS: ProblemCode[] = [
  'token-missing',
  'token-refused',
  'scope-missing',
  'store-unavailable',
];
const BODY_PROBLEMS: ProblemCode[] = [
  'invalid-request',
  'malformed-request',
  'body-too-large',
  'media-type-unsupported',
];
const DRAFT_PROBLEMS: ProblemCode[] = ['invalid-url', 'invalid-expiry', 'destination-blocklisted'];
const REPEAT_PROBLEMS: ProblemCode[] = ['request-in-progress', 'idempotency-key-reused'];

const REDIRECT_HEADERS = {
  Location: 'The long URL',
  'Cache-Control':
    '302: `private, no-store`; 301: `public, max-age=` up to 3,600, never past the expiry',
};

const redirect = {
  path: '/{code}',
  answer: {
    status: 302,
    description: 'The link, whose visits are counted',
    headers: REDIRECT_HEADERS,
  },
  moreAnswers: [
    { status: 301, description: 'A link with `trackClicks: false`', headers: REDIRECT_HEADERS },
  ],
  problems: ['link-not-found', 'link-expired', 'link-blocked', 'store-unavailable'],
} as const;

/** Every operation of the service, in the order of the documentation. */
export const operations: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    id: 'home',
    summary: 'What this is and where to go',
    answer: { status: 200, description: 'A page', content: { 'text/html': 'text' } },
    problems: [],
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'describe',
    summary: 'This description',
    answer: {
      status: 200,
      description: 'OpenAPI 3.1',
      content: { [JSON_TYPE]: z.looseObject({}) },
    },
    problems: [],
  },
  {
    method: 'post',
    path: '/shorten',
    id: 'createLink',
    summary: 'Create a short link',
    description:
      'With a token the link belongs to its user or client. Whether links may be created without one is the operator’s choice.',
    scope: 'links:write',
    tokenOptional: true,
    repeatable: true,
    body: { [JSON_TYPE]: createLink },
    answer: {
      status: 201,
      description: 'The new link',
      content: { [JSON_TYPE]: link },
      headers: { Location: 'The short URL' },
    },
    problems: [
      ...BODY_PROBLEMS,
      ...DRAFT_PROBLEMS,
      'invalid-alias',
      'alias-taken',
      ...REPEAT_PROBLEMS,
      ...OWNER_PROBLEMS,
    ],
  },
  {
    ...redirect,
    method: 'get',
    id: 'followLink',
    summary: 'Follow a short link',
    description:
      'Authorization is ignored. Under `Accept: text/html` the refusals are pages for a person.',
  },
  {
    ...redirect,
    method: 'head',
    id: 'checkLink',
    summary: 'See where a short link leads',
    description: 'Answers like GET and is never counted.',
  },
  {
    method: 'get',
    path: '/links',
    id: 'listLinks',
    summary: 'List your links, newest first',
    scope: 'links:read',
    query: linkListParameters,
    answer: { status: 200, description: 'A page', content: { [JSON_TYPE]: linkPage } },
    problems: ['invalid-request', ...OWNER_PROBLEMS],
  },
  {
    method: 'post',
    path: '/links/bulk',
    id: 'createLinks',
    summary: 'Create up to 100 links',
    description:
      'Items are judged one by one; `results` has the order of `items`, with JSON Pointers relative to the item. Bodies up to 4 MiB.',
    scope: 'links:write',
    repeatable: true,
    body: { [JSON_TYPE]: bulkCreateDocumented },
    answer: {
      status: 200,
      description: 'The fate of each item',
      content: { [JSON_TYPE]: bulkResults },
    },
    problems: [...BODY_PROBLEMS, ...REPEAT_PROBLEMS, ...OWNER_PROBLEMS],
  },
  {
    method: 'get',
    path: '/links/export',
    id: 'exportLinks',
    summary: 'Take all your links with you',
    scope: 'links:read',
    query: z.strictObject({ format: z.enum(['json', 'csv']).default('json') }),
    answer: {
      status: 200,
      description: 'All of them, newest first, archived ones included',
      content: { [JSON_TYPE]: exportedLinks, 'text/csv': 'text' },
    },
    problems: ['invalid-request', ...OWNER_PROBLEMS],
  },
  {
    method: 'post',
    path: '/links/import',
    id: 'importLinks',
    summary: 'Create links from an export',
    description:
      'Up to 10,000 rows or 4 MiB. CSV needs a header line with the names of the members. `code` and `customAlias` mean the same here; the other members of an export are ignored.',
    scope: 'links:write',
    repeatable: true,
    body: { [JSON_TYPE]: importDocumented, 'text/csv': z.string() },
    answer: {
      status: 200,
      description: 'The fate of each row',
      content: { [JSON_TYPE]: bulkResults },
    },
    problems: [...BODY_PROBLEMS, ...REPEAT_PROBLEMS, ...OWNER_PROBLEMS],
  },
  {
    method: 'get',
    path: '/links/{code}',
    id: 'readLink',
    summary: 'Read one of your links',
    scope: 'links:read',
    answer: { status: 200, description: 'The link', content: { [JSON_TYPE]: link } },
    problems: ['link-not-found', ...OWNER_PROBLEMS],
  },
  {
    method: 'patch',
    path: '/links/{code}',
    id: 'changeLink',
    summary: 'Change one of your links',
    description:
      'Reaches every node within a second. Browsers keep a 301 for up to an hour. Nothing brings an expired link back.',
    scope: 'links:write',
    body: { [JSON_TYPE]: changeLink },
    answer: { status: 200, description: 'The link as it is now', content: { [JSON_TYPE]: link } },
    problems: [
      ...BODY_PROBLEMS,
      ...DRAFT_PROBLEMS,
      'link-not-found',
      'link-not-active',
      ...OWNER_PROBLEMS,
    ],
  },
  {
    method: 'delete',
    path: '/links/{code}',
    id: 'deleteLink',
    summary: 'Delete one of your links',
    description: 'It answers 404 from then on, and its code is never given out again.',
    scope: 'links:write',
    answer: { status: 204, description: 'It is gone' },
    problems: ['link-not-found', ...OWNER_PROBLEMS],
  },
  {
    method: 'get',
    path: '/links/{code}/qr',
    id: 'drawQrCode',
    summary: 'QR code of one of your short URLs',
    scope: 'links:read',
    query: z.strictObject({ format: z.enum(['svg', 'png']).default('svg') }),
    answer: {
      status: 200,
      description: 'The picture',
      content: { 'image/svg+xml': 'text', 'image/png': 'binary' },
    },
    problems: ['invalid-request', 'link-not-found', ...OWNER_PROBLEMS],
  },
  {
    method: 'get',
    path: '/links/{code}/stats',
    id: 'readStatistics',
    summary: 'Visits of one of your links',
    scope: 'links:read',
    query: statsQuery,
    answer: { status: 200, description: 'Counts', content: { [JSON_TYPE]: linkStats } },
    problems: ['invalid-request', 'link-not-found', ...OWNER_PROBLEMS],
  },
];
