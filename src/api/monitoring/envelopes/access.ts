import { findIngestionLimits } from '#domain/error-tracking.ts';
import { type Access, type AccessCall, access } from '#http/access/access.ts';
import type { ErrorEntry } from '#http/errors/error-messages.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { parseForm } from '#http/parameters/brackets.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** The sender of a report: a valid client key and its project. */
export interface ReportSender {
  readonly projectId: number;
  readonly key: string;
}

/** Authenticates the sender of a report, by the DSN in the envelope header if the request itself has no key. */
export interface SenderAuthentication {
  readonly authenticateSender: (dsn: unknown) => Promise<ReportSender | Failure<'unauthenticated' | 'rejected'>>;
}

const noCheck = () => {};

/**
 * Access with a client key of the project `:project_id`. A wrong key in a header or the query is rejected before the body
 * is read. Only envelopes may carry the key in their body.
 */
export const clientKeyAccess = (endpointType: 'store' | 'envelope'): Access<SenderAuthentication> =>
  access({
    audience: 'tokenHolder',
    label: 'client key',
    authenticate: noCheck,
    authorize: noCheck,
    async load(call) {
      const key = findClientKey(call.request);
      const sender = key === null ? null : await findSender(call, key);
      if (key !== null && sender === null) throw createSenderError('rejected');
      if (key === null && endpointType === 'store') throw createSenderError('unauthenticated');
      return { authenticateSender: async (dsn: unknown) => sender ?? findSenderByDsn(call, dsn) };
    },
  }).withErrors(SENDER_ERRORS);

/** Authenticates by the DSN of an envelope header, which must name the project of the path. */
async function findSenderByDsn(call: AccessCall, dsn: unknown): ReturnType<SenderAuthentication['authenticateSender']> {
  const parsedDsn = parseDsn(dsn);
  if (parsedDsn === null) return fail('unauthenticated');
  const sender = parsedDsn.project === call.path.project_id ? await findSender(call, parsedDsn.key) : null;
  return sender ?? fail('rejected');
}

/** Returns the sender with this key, or null if the project does not exist, rejects reports or has no such active key. */
async function findSender({ services, db, path }: AccessCall, key: string): Promise<ReportSender | null> {
  const projectId = /^\d{1,15}$/.test(path.project_id ?? '') ? Number(path.project_id) : null;
  // Keys in any other format cannot exist, and PostgreSQL rejects NUL characters in parameters.
  if (projectId === null || !/^\w{1,100}$/.test(key)) return null;
  const limits = await findIngestionLimits(db, { projectId, key, tier: services.config.tier });
  return limits && { projectId, key };
}

// Extracts the client key from a request (contract/monitoring.md §10 "Key").

/** Returns the client key from the headers or the query, or null if there is none. */
function findClientKey({ headers, query }: Pick<IncomingRequest, 'headers' | 'query'>): string | null {
  const headerKeys = [headers['x-sentry-auth'], headers.authorization].map((header) =>
    parseAuthHeader(firstHeader(header) ?? ''),
  );
  const { sentry_key } = parseForm(query);
  const queryKey = typeof sentry_key === 'string' ? sentry_key : '';
  return headerKeys.find((key) => key !== null) ?? (queryKey || null);
}

/** Parses `Sentry sentry_version=7, sentry_key=K`. The scheme is optional, and the order of the pairs does not matter. Returns the key, or null. */
function parseAuthHeader(header: string): string | null {
  const pairs = header.replace(/^\s*sentry\s+/i, '').split(',');
  for (const pair of pairs) {
    const [name = '', ...valueParts] = pair.split('=');
    const key = valueParts.join('=').trim();
    if (name.trim() === 'sentry_key' && key !== '') return key;
  }
  return null;
}

/** Returns the key (the DSN's user name) and the project id (the last segment of its path), or null if it has no key. */
function parseDsn(dsn: unknown): { readonly key: string; readonly project: string } | null {
  const url = typeof dsn === 'string' ? URL.parse(dsn) : null;
  if (url === null || url.username === '') return null;
  return { key: url.username, project: url.pathname.split('/').at(-1) ?? '' };
}

// Errors for SDKs: in the body, and in the header `X-Sentry-Error` for SDKs that do not read the body (contract/monitoring.md §10).

const createErrorEntry = (
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorEntry => [status, { detail, causes: [] }, { 'X-Sentry-Error': detail, ...headers }];

/** Authentication errors. Every wrong key gets the same error, so that callers cannot find out whether a project exists. */
const SENDER_ERRORS = {
  unauthenticated: createErrorEntry(401, 'missing authorization information'),
  rejected: createErrorEntry(403, 'event submission rejected: unknown project or client key'),
} as const;

/** All errors of the ingestion endpoints. */
export const INGESTION_ERRORS = {
  ...SENDER_ERRORS,
  invalidEnvelope: createErrorEntry(400, 'invalid event envelope'),
  invalidEvent: createErrorEntry(400, 'invalid event payload'),
  tooLarge: createErrorEntry(413, 'envelope exceeded size limits'),
  unsupportedEncoding: createErrorEntry(415, 'unsupported content encoding'),
  rateLimited: createErrorEntry(429, 'rate limited', {
    'Retry-After': '{seconds}',
    'X-Sentry-Rate-Limits': '{seconds}:default;error:project',
  }),
} as const;

/** Creates the exception for an authentication error. */
function createSenderError(code: keyof typeof SENDER_ERRORS): HttpError {
  const [status, body, headers] = SENDER_ERRORS[code];
  return new HttpError(status, body, headers);
}
