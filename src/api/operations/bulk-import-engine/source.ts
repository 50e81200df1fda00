import type { KeyObject } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Reader, Transaction } from '#database/database.ts';
import { type JsonLimits, parseJson } from '#http/request/json-body.ts';
import { OutboundFailure } from '#outbound-http/check-url.ts';
import type { Outbound, OutboundResponse } from '#outbound-http/client.ts';
import { createConcurrencyLimiter, createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';

/** Client of the REST API of the source server (contract/operations.md §1.4 "Transport"). Its responses are untrusted. */
export interface SourceClient {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Sends GET `/api/v4` + `path` with the token. Resolves for every status; rejects with SourceFailure if there is no response. */
  get(path: string, limits?: { readonly totalMs?: number; readonly signal?: AbortSignal }): Promise<SourceResponse>;
}

export interface SourceResponse {
  readonly status: number;
  readonly header: (name: string) => string | null;
  /** Parsed body of a 2xx; undefined for other statuses. */
  readonly json: unknown;
}

export interface SourceConfiguration {
  readonly url: string;
  readonly token: string;
}

/** A call without a response. The message contains no secret. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly kind: 'blocked' | 'unreachable' | 'invalidResponse' | 'aborted';
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean;

  constructor(kind: SourceFailure['kind'], message: string, isTemporary = false) {
    super(message);
    this.kind = kind;
    this.isTemporary = isTemporary;
  }
}

/** Returns the base URL without user info, query and trailing slashes; null if the text is not a URL. */
export function getSourceBaseUrl(url: string): string | null {
  const parsedUrl = URL.parse(url);
  if (parsedUrl === null) return null;
  const path = parsedUrl.pathname;
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return `${parsedUrl.protocol}//${parsedUrl.host}${path.slice(0, end)}`;
}

/** Creates the client. `userId`: the importing user, who reads one long response at a time. */
export function createSourceClient(
  outbound: Outbound,
  { url, token }: SourceConfiguration,
  userId: number,
): SourceClient {
  const baseUrl = getSourceBaseUrl(url);
  return {
    baseUrl: baseUrl ?? url,
    async get(path, { totalMs = 60_000, signal } = {}) {
      if (baseUrl === null) throw new SourceFailure('blocked', 'Host cannot be resolved or invalid');
      // An HTTP header cannot carry other characters, so such a token is invalid.
      if (!/^[\x21-\x7e]+$/.test(token)) return { status: 401, header: () => null, json: undefined };
      const headers = { 'private-token': token, accept: 'application/json' };
      try {
        const request = { url: `${baseUrl}/api/v4${path}`, headers, totalMs, maxRedirects: 2 };
        return await readResponse(
          await outbound.request(signal === undefined ? request : { ...request, signal }),
          userId,
        );
      } catch (error) {
        throw toSourceFailure(error, baseUrl);
      }
    },
  };
}

/** Limits of the structure of a response; the size in bytes is limited elsewhere. A page has a hundred elements. */
const JSON_LIMITS: JsonLimits = { depth: 32, itemsPerValue: 50_000, totalItems: 500_000, nameBytes: 16 * 1024 * 1024 };

/**
 * Maximum bytes of a response that is read into memory. Longer responses are read and parsed one at a time, queued per
 * user.
 */
const MAX_SHORT_BYTES = 4 * 1024 * 1024;
const longResponseLimiter = createConcurrencyLimiter(1, { maxWaiting: 0, retryAfterSeconds: 1 });
const lockByUser = createKeyedLock({ maxWaiting: 0, retryAfterSeconds: 1 });

/** Maximum milliseconds in which the rest of a long response must arrive, because other imports wait for it. */
const LONG_RESPONSE_TIMEOUT_MS = 20_000;

/** Reads and parses the body of a 2xx; other bodies are discarded. */
async function readResponse(response: OutboundResponse, userId: number): Promise<SourceResponse> {
  const { status, headers, body } = response;
  const header = (name: string) => [headers[name] ?? []].flat()[0] ?? null;
  try {
    if (status < 200 || status > 299) return { status, header, json: undefined };
    const partialBody = await readBeginning(body);
    const value = partialBody.isComplete
      ? await parseBody(concatAndClear(partialBody.chunks))
      : await readRest(partialBody, userId);
    return { status, header, json: value };
  } finally {
    body.destroy();
  }
}

/** A response whose first chunks were read. */
interface PartialBody {
  readonly chunks: Buffer[];
  readonly remainingChunks: AsyncIterator<Buffer>;
  /** Whether `chunks` is the whole body. */
  readonly isComplete: boolean;
  /** Aborts the response. */
  readonly abort: (failure: OutboundFailure) => void;
}

/** Reads the chunks of a short body, or the first chunks of a long one. */
async function readBeginning(body: OutboundResponse['body']): Promise<PartialBody> {
  const remainingChunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  const isComplete = await readChunks(remainingChunks, chunks, MAX_SHORT_BYTES);
  return { chunks, remainingChunks, isComplete, abort: (failure) => body.destroy(failure) };
}

/** Reads chunks until they exceed `maxBytes`. Returns true if the body ended before that. */
async function readChunks(
  remainingChunks: AsyncIterator<Buffer>,
  chunks: Buffer[],
  maxBytes: number,
): Promise<boolean> {
  for (let length = 0; length <= maxBytes; ) {
    const next = await remainingChunks.next();
    if (next.done) return true;
    chunks.push(next.value);
    length += next.value.length;
  }
  return false;
}

/** Reads the rest of a long response, one at a time; a slow response times out and frees the slot. */
function readRest({ chunks, remainingChunks, abort }: PartialBody, userId: number): Promise<unknown> {
  const readInSlot = async () => {
    const timeout = new OutboundFailure(
      'timeout',
      `A long answer did not come within ${LONG_RESPONSE_TIMEOUT_MS / 1000} s`,
    );
    const timer = setTimeout(() => abort(timeout), LONG_RESPONSE_TIMEOUT_MS);
    try {
      await readChunks(remainingChunks, chunks, Number.POSITIVE_INFINITY);
    } finally {
      clearTimeout(timer);
    }
    const bytes = concatAndClear(chunks);
    // Copying up to 100 MiB blocks the event loop, so other work runs before the parsing blocks it again.
    await yieldToEventLoop();
    return parseBody(bytes);
  };
  // Exempt from `maxWaiting: 0`: a rejected response would have to be fetched again.
  const queueOptions = { exemptFromLimit: true };
  return lockByUser(String(userId), () => longResponseLimiter.run(readInSlot, queueOptions), queueOptions);
}

/** Concatenates the chunks and empties the array. */
function concatAndClear(chunks: Buffer[]): Buffer {
  const bytes = Buffer.concat(chunks);
  // The chunks take as much memory as the copy, so they are released.
  chunks.length = 0;
  return bytes;
}

async function parseBody(bytes: Buffer): Promise<unknown> {
  try {
    return await parseJson(bytes, JSON_LIMITS);
  } catch {
    throw new SourceFailure('invalidResponse', 'The answer is no JSON, or holds too much');
  }
}

function toSourceFailure(error: unknown, baseUrl: string): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (!(error instanceof OutboundFailure)) throw error;
  const { kind, message, isTemporary } = error;
  if (kind === 'blocked' || kind === 'unresolved') return new SourceFailure('blocked', message, isTemporary);
  if (kind === 'aborted') return new SourceFailure('aborted', message);
  if (!isTemporary) return new SourceFailure('invalidResponse', message);
  const { hostname, port, protocol } = new URL(baseUrl);
  const hostAndPort = `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
  return new SourceFailure('unreachable', `Failed to open TCP connection to ${hostAndPort}. ${message}`, true);
}

/** Returns the path of the first call for an entity. The response contains the attributes and the id of the entity. */
export function getSourceEntityPath(entity: {
  readonly source_type: 'group_entity' | 'project_entity';
  readonly source_full_path: string;
}): string {
  const path = encodeURIComponent(entity.source_full_path);
  return entity.source_type === 'group_entity' ? `/groups/${path}?with_projects=false` : `/projects/${path}`;
}

/** Message for an invalid token or one without the scope `api`. */
export const INVALID_TOKEN_MESSAGE =
  'Check that the source instance base URL and the personal access token meet the necessary requirements.';

// Stores the URL and the token of a source, both encrypted.

/** Returns the contexts of the secrets of an import. */
const buildContexts = (importId: number) => ({
  url: ENCRYPTED_COLUMNS.bulkImportUrl.buildContext({ bulk_import_id: importId }),
  token: ENCRYPTED_COLUMNS.bulkImportToken.buildContext({ bulk_import_id: importId }),
});

export async function insertConfiguration(
  tx: Transaction,
  key: KeyObject,
  importId: number,
  { url, token }: SourceConfiguration,
): Promise<void> {
  await tx
    .insertInto('bulk_import_configurations')
    .values({
      bulk_import_id: importId,
      encrypted_url: encrypt(key, url, buildContexts(importId).url),
      encrypted_token: encrypt(key, token, buildContexts(importId).token),
    })
    .execute();
}

/**
 * Returns the URL and token, or null if they were deleted, a day after the end of the import.
 * index: bulk_import_configurations primary key
 */
export async function findConfiguration(
  db: Reader,
  key: KeyObject,
  importId: number,
): Promise<SourceConfiguration | null> {
  const row = await db
    .selectFrom('bulk_import_configurations')
    .select(['encrypted_url', 'encrypted_token'])
    .where('bulk_import_id', '=', importId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    url: decrypt(key, row.encrypted_url, buildContexts(importId).url),
    token: decrypt(key, row.encrypted_token, buildContexts(importId).token),
  };
}
