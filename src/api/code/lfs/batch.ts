import type { Reader } from '#database/database.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { parseJson } from '#http/request/json-body.ts';
import { loadLinkedLfsObjects } from '#repositories/lfs/lfs-objects.ts';
import { createYielder } from '#runtime/yielding.ts';
import { isJsonObject } from '#text/json-object.ts';

/** A batch request of a git-lfs client. */
interface LfsBatch {
  readonly operation: 'upload' | 'download';
  readonly objects: readonly LfsObjectReference[];
}

/** An object of a batch request. */
interface LfsObjectReference {
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

/** Maximum number of objects in one request. */
const MAX_OBJECTS = 10_000;

/** Parses a batch request; returns null if it is invalid. */
export async function parseBatch(bytes: Buffer): Promise<LfsBatch | null> {
  try {
    const value = await parseJson(bytes);
    return isBatch(value) ? value : null;
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}

// Not checked by a schema, because that takes a tenth of a second for the largest batch.
function isBatch(value: unknown): value is LfsBatch {
  if (!isJsonObject(value)) return false;
  const { operation, objects } = value;
  if (operation !== 'upload' && operation !== 'download') return false;
  return Array.isArray(objects) && objects.length <= MAX_OBJECTS && objects.every(isObjectReference);
}

function isObjectReference(value: unknown): value is LfsObjectReference {
  if (!isJsonObject(value)) return false;
  const { oid, size } = value;
  return typeof oid === 'string' && /^[0-9a-f]{64}$/.test(oid) && Number.isSafeInteger(size) && (size as number) >= 0;
}

/** Values for the actions of a batch response: the URL of the repository and the credentials of the client. */
interface LfsTransfer {
  /** The repository's URL, with `.git`. */
  readonly repositoryUrl: string;
  /** The client's own credentials, which its transfer requests send again. */
  readonly authorization: string | undefined;
}

/**
 * Yields one entry for each requested object: with an upload or download action, without an action
 * (uploaded already), or with a 404 error. Entries are created lazily.
 */
export async function createBatchEntries(
  db: Reader,
  projectId: number,
  { operation, objects }: LfsBatch,
  transfer: LfsTransfer,
) {
  const oids = new Set(objects.map(({ oid }) => oid));
  const linkedObjects = await loadLinkedLfsObjects(db, projectId, [...oids]);
  return objects.values().map(({ oid, size }) => {
    const linkedObject = linkedObjects.get(oid);
    if (operation === 'upload') {
      return linkedObject
        ? { oid, size }
        : { oid, size, actions: { upload: createTransferAction(transfer, `${oid}/${size}`) } };
    }
    if (linkedObject === undefined) return { oid, size, error: { code: 404, message: 'Object does not exist' } };
    return { oid, size: linkedObject.size, actions: { download: createTransferAction(transfer, oid) } };
  });
}

/** Returns an action: the URL of an object, and the header with the credentials. */
function createTransferAction({ repositoryUrl, authorization }: LfsTransfer, objectPath: string) {
  const href = `${repositoryUrl}/gitlab-lfs/objects/${objectPath}`;
  return authorization === undefined ? { href } : { href, header: { Authorization: authorization } };
}

/** Minimum characters of a chunk of the response. */
const CHUNK_LENGTH = 65_536;

/**
 * Writes the response in chunks. Each entry repeats the client's credentials, so the response may be many times larger
 * than the request.
 */
export async function* writeBatchResponse(entries: Iterable<object>): AsyncGenerator<string> {
  const yieldToOthers = createYielder();
  let chunk = '{"transfer":"basic","objects":[';
  let comma = '';
  for (const entry of entries) {
    chunk += comma + JSON.stringify(entry);
    comma = ',';
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
    await yieldToOthers();
  }
  yield `${chunk}]}`;
}
