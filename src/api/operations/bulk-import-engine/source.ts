import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { type JsonLimits, parseJson } from '#http/request/json-body.ts';
import { type Outbound, OutboundFailure, type OutboundResponse } from '#outbound-http/index.ts';
import { createConcurrencyLimiter, createKeyedLock } from '#runtime/concurrency-limiter.ts';

/** The server that is copied from, as its REST API answers (contract/operations.md §1.4 "Transport"). Nothing that it says is trusted. */
export interface Source {
  /** The base of all its addresses, without a slash at the end. */
  readonly base: string;
  /** Asks `/api/v4` + `path` with the token. Whatever the status, an answer; rejects with SourceFailure when there is none. */
  ask(path: string, limits?: { readonly totalMs?: number; readonly signal?: AbortSignal }): Promise<SourceAnswer>;
}

export interface SourceAnswer {
  readonly status: number;
  readonly header: (name: string) => string | null;
  /** What a 2xx holds; of another status nothing is read. */
  readonly value: unknown;
}

export interface Configuration {
  readonly url: string;
  readonly token: string;
}

/** Why a call has come to nothing. The message holds no secret. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly kind: 'blocked' | 'unreachable' | 'badAnswer' | 'aborted';
  /** Might the same call succeed later? */
  readonly passing: boolean;

  constructor(kind: SourceFailure['kind'], message: string, passing = false) {
    super(message);
    this.kind = kind;
    this.passing = passing;
  }
}

/** The address below which the source is, without user info, query and slashes at the end; null when the text is none. */
export function baseOfSource(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const path = parsed.pathname;
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return `${parsed.protocol}//${parsed.host}${path.slice(0, end)}`;
}

/** `userId`: who copies from it. */
export function createSource(outbound: Outbound, { url, token }: Configuration, userId: number): Source {
  const base = baseOfSource(url);
  return {
    base: base ?? url,
    async ask(path, { totalMs = 60_000, signal } = {}) {
      if (base === null) throw new SourceFailure('blocked', 'Host cannot be resolved or invalid');
      // What no header can carry is no token of anybody.
      if (!/^[\x21-\x7e]+$/.test(token)) return { status: 401, header: () => null, value: undefined };
      const headers = { 'private-token': token, accept: 'application/json' };
      try {
        const wanted = { url: `${base}/api/v4${path}`, headers, totalMs, maxRedirects: 2 };
        return await read(await outbound.request(signal === undefined ? wanted : { ...wanted, signal }), userId);
      } catch (error) {
        throw typed(error, base);
      }
    },
  };
}

/** What one answer may hold besides its bytes: a page has a hundred elements. */
const BOUNDS: JsonLimits = { depth: 32, items: 50_000, elements: 500_000, names: 16 * 1024 * 1024 };

/** Bytes that everybody may hold; longer answers are read and parsed one at a time, and wait in one line for each user. */
const SHORT = 4 * 1024 * 1024;
const longAnswers = createConcurrencyLimiter(1, { maxWaiting: 0, retryAfter: 1 });
const linesOfUsers = createKeyedLock({ maxWaiting: 0, retryAfter: 1 });

/** Milliseconds that the rest of a long answer may take: others wait. */
const LONG_MS = 20_000;

async function read(answer: OutboundResponse, userId: number): Promise<SourceAnswer> {
  const { status, headers, body } = answer;
  const header = (name: string) => [headers[name] ?? []].flat()[0] ?? null;
  try {
    if (status < 200 || status > 299) return { status, header, value: undefined };
    const beginning = await begun(body);
    const value = beginning.isWhole ? await parsed(together(beginning.chunks)) : await restOf(beginning, userId);
    return { status, header, value };
  } finally {
    body.destroy();
  }
}

/** What has come of an answer. */
interface Begun {
  readonly chunks: Buffer[];
  readonly left: AsyncIterator<Buffer>;
  readonly isWhole: boolean;
  /** Breaks it off. */
  readonly fail: (failure: OutboundFailure) => void;
}

async function begun(body: OutboundResponse['body']): Promise<Begun> {
  const left = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  const isWhole = await readOn(left, chunks, SHORT);
  return { chunks, left, isWhole, fail: (failure) => body.destroy(failure) };
}

/** Reads until there is more than that, or, true, nothing any more. */
async function readOn(left: AsyncIterator<Buffer>, chunks: Buffer[], most: number): Promise<boolean> {
  for (let length = 0; length <= most; ) {
    const next = await left.next();
    if (next.done) return true;
    chunks.push(next.value);
    length += next.value.length;
  }
  return false;
}

/** In the place of long answers, which whoever lets the others wait for nothing leaves. */
function restOf({ chunks, left, fail }: Begun, userId: number): Promise<unknown> {
  const inPlace = async () => {
    const late = new OutboundFailure('timeout', `A long answer did not come within ${LONG_MS / 1000} s`);
    const timer = setTimeout(() => fail(late), LONG_MS);
    try {
      await readOn(left, chunks, Number.POSITIVE_INFINITY);
    } finally {
      clearTimeout(timer);
    }
    const bytes = together(chunks);
    // To copy a hundred mebibytes is a turn of its own.
    await turnOfOthers();
    return parsed(bytes);
  };
  const waiter = { exemptFromLimit: true };
  return linesOfUsers(String(userId), () => longAnswers.run(inPlace, waiter), waiter);
}

function together(chunks: Buffer[]): Buffer {
  const bytes = Buffer.concat(chunks);
  // They are as much again.
  chunks.length = 0;
  return bytes;
}

async function parsed(bytes: Buffer): Promise<unknown> {
  try {
    return await parseJson(bytes, BOUNDS);
  } catch {
    throw new SourceFailure('badAnswer', 'The answer is no JSON, or holds too much');
  }
}

function typed(error: unknown, base: string): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (!(error instanceof OutboundFailure)) throw error;
  const { kind, message, isTemporary: passing } = error;
  if (kind === 'blocked' || kind === 'unresolved') return new SourceFailure('blocked', message, passing);
  if (kind === 'aborted') return new SourceFailure('aborted', message);
  if (!passing) return new SourceFailure('badAnswer', message);
  const { hostname, port, protocol } = new URL(base);
  const at = `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
  return new SourceFailure('unreachable', `Failed to open TCP connection to ${at}. ${message}`, true);
}

/** What the first call for an entity asks for: what it is and which id it has. */
export function sourcePath(entity: {
  readonly source_type: 'group_entity' | 'project_entity';
  readonly source_full_path: string;
}): string {
  const path = encodeURIComponent(entity.source_full_path);
  return entity.source_type === 'group_entity' ? `/groups/${path}?with_projects=false` : `/projects/${path}`;
}

/** The token will not do. */
export const MISSING_TOKEN =
  'Check that the source instance base URL and the personal access token meet the necessary requirements.';
