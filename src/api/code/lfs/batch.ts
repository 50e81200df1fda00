import type { Reader } from '#database/database.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { parseJson } from '#http/request/json-body.ts';
import { linkedObjects } from '#repositories/lfs/lfs-objects.ts';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import { isObject } from '#text/json-object.ts';

/** What a git-lfs client asks for in one go. */
export interface Batch {
  readonly operation: 'upload' | 'download';
  readonly objects: readonly WantedObject[];
}

interface WantedObject {
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

const MOST_OBJECTS = 10_000;

/** null: it is no batch request. */
export async function parseBatch(bytes: Buffer): Promise<Batch | null> {
  try {
    const value = await parseJson(bytes);
    return isBatch(value) ? value : null;
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}

// By hand: a check by a schema takes a tenth of a second for as many as there may be.
function isBatch(value: unknown): value is Batch {
  if (!isObject(value)) return false;
  const { operation, objects } = value;
  if (operation !== 'upload' && operation !== 'download') return false;
  return Array.isArray(objects) && objects.length <= MOST_OBJECTS && objects.every(isWanted);
}

function isWanted(value: unknown): value is WantedObject {
  if (!isObject(value)) return false;
  const { oid, size } = value;
  return typeof oid === 'string' && /^[0-9a-f]{64}$/.test(oid) && Number.isSafeInteger(size) && (size as number) >= 0;
}

export interface Transfer {
  /** The repository's address, with `.git`. */
  readonly repositoryUrl: string;
  /** The client's own credentials, for its next calls. */
  readonly authorization: string | undefined;
}

/** One entry for each asked object: where to send or get it, nothing to do, or that it is not here. Each is made when it is taken. */
export async function answerBatch(db: Reader, projectId: number, { operation, objects }: Batch, transfer: Transfer) {
  const oids = new Set(objects.map(({ oid }) => oid));
  const linked = await linkedObjects(db, projectId, [...oids]);
  return objects.values().map(({ oid, size }) => {
    const stored = linked.get(oid);
    if (operation === 'upload') {
      return stored ? { oid, size } : { oid, size, actions: { upload: action(transfer, `${oid}/${size}`) } };
    }
    if (stored === undefined) return { oid, size, error: { code: 404, message: 'Object does not exist' } };
    return { oid, size: stored.size, actions: { download: action(transfer, oid) } };
  });
}

function action({ repositoryUrl, authorization }: Transfer, tail: string) {
  const href = `${repositoryUrl}/gitlab-lfs/objects/${tail}`;
  return authorization === undefined ? { href } : { href, header: { Authorization: authorization } };
}

/** Written at once, in characters. */
const PART = 65_536;

/**
 * The answer to a batch, made while it is sent: each entry says the client's credentials again, which may be as long as
 * the headers of a request, so that all of them together are many times what was asked.
 */
export async function* writtenBatch(entries: Iterable<object>): AsyncGenerator<string> {
  const giveWay = givingWay();
  let part = '{"transfer":"basic","objects":[';
  let comma = '';
  for (const entry of entries) {
    part += comma + JSON.stringify(entry);
    comma = ',';
    if (part.length < PART) continue;
    yield part;
    part = '';
    await giveWay();
  }
  yield `${part}]}`;
}
