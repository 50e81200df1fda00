import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createDeflate, deflate, deflateSync } from 'node:zlib';
import { hasErrorCode } from '#runtime/failure.ts';
import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import { syncDirectory } from '../storage/storage.ts';
import type { ObjectType } from './object-parser.ts';

const deflateAsync = promisify(deflate);

/** Maximum bytes that are deflated synchronously: for so few, a worker thread costs more than the work. */
const MAX_SYNC_DEFLATE = 4096;
/** Maximum bytes that are deflated in one call in a worker thread; larger content is streamed. */
export const MAX_SINGLE_DEFLATE = 1024 * 1024;
export const CHUNK_SIZE = 256 * 1024;

/** Larger content is stored uncompressed: deflating is ten times slower than writing, and repacking does it later. */
const MAX_DEFLATED = 16 * 1024 * 1024;

/** Content as a buffer, or as chunks of a total `size` known beforehand (git's header contains it). */
export type ObjectContent = Buffer | { readonly size: number; readonly chunks: AsyncIterable<Buffer> };

/**
 * Writes a loose object as git does: into a temporary file, synced and renamed, with synced directories. Returns its
 * id; durable when it returns. An existing object is only touched, which protects it from pruning. Streamed content is
 * never held in memory.
 */
export async function writeObject(
  git: Git,
  repository: Repository,
  type: ObjectType,
  content: ObjectContent,
): Promise<string> {
  if (!Buffer.isBuffer(content)) return writeStream(git, repository, type, content);
  if (content.length > MAX_SINGLE_DEFLATE)
    return writeStream(git, repository, type, { size: content.length, chunks: toChunks(content) });
  const header = Buffer.from(`${type} ${content.length}\0`, 'latin1');
  const id = createHash('sha1').update(header).update(content).digest('hex');
  if (await touch(git, getObjectPath(repository, id))) return id;
  const object = Buffer.concat([header, content]);
  const deflated = await deflateAtOnce(object);
  const temporaryFile = createTemporaryPath(repository);
  await withTemporaryFile(temporaryFile, async (file) => {
    await file.writeFile(deflated);
    await storeObject(repository, file, temporaryFile, id);
  });
  return id;
}

/** Deflates at most `MAX_SINGLE_DEFLATE` bytes. */
export async function deflateAtOnce(bytes: Buffer): Promise<Buffer> {
  return bytes.length > MAX_SYNC_DEFLATE ? deflateAsync(bytes, { level: 1 }) : deflateSync(bytes, { level: 1 });
}

/** Returns the object id of `content`, whether it is stored or not. */
export async function computeObjectId(type: ObjectType, content: Buffer): Promise<string> {
  const hash = createHash('sha1').update(`${type} ${content.length}\0`, 'latin1');
  if (content.length <= MAX_SINGLE_DEFLATE) return hash.update(content).digest('hex');
  for await (const slice of toChunks(content)) hash.update(slice);
  return hash.digest('hex');
}

async function writeStream(
  git: Git,
  repository: Repository,
  type: ObjectType,
  content: Exclude<ObjectContent, Buffer>,
): Promise<string> {
  const hash = createHash('sha1');
  const temporaryFile = createTemporaryPath(repository);
  let id = '';

  async function* hashChunks(): AsyncGenerator<Buffer> {
    const header = Buffer.from(`${type} ${content.size}\0`, 'latin1');
    hash.update(header);
    yield header;
    let size = 0;
    for await (const chunk of content.chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
    if (size !== content.size) throw new Error(`Expected ${content.size} bytes of object content, got ${size}`);
  }

  await withTemporaryFile(temporaryFile, async (file) => {
    const level = content.size > MAX_DEFLATED ? 0 : 1;
    await pipeline(
      hashChunks(),
      createDeflate({ level, chunkSize: CHUNK_SIZE }),
      async (deflated: AsyncIterable<Buffer>) => {
        for await (const chunk of deflated) await file.writeFile(chunk);
      },
    );
    id = hash.digest('hex');
    if (await touch(git, getObjectPath(repository, id))) await rm(temporaryFile);
    else await storeObject(repository, file, temporaryFile, id);
  });
  return id;
}

function* sliceContent(content: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < content.length; offset += CHUNK_SIZE)
    yield content.subarray(offset, offset + CHUNK_SIZE);
}

/** Yields chunks, and yields to the event loop between them, so that hashing large content does not block it. */
async function* toChunks(content: Buffer): AsyncGenerator<Buffer> {
  for (const slice of sliceContent(content)) {
    yield slice;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function getObjectPath(repository: Repository, id: string): string {
  return join(repository.directory, 'objects', id.slice(0, 2), id.slice(2));
}

/** Returns a path with git's name for temporary objects, so that git prunes leftovers of a crash. */
function createTemporaryPath(repository: Repository): string {
  return join(repository.directory, 'objects', `tmp_obj_${randomUUID()}`);
}

async function withTemporaryFile(temporaryFile: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(temporaryFile, 'wx', 0o444);
  try {
    await work(file);
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function storeObject(repository: Repository, file: FileHandle, temporaryFile: string, id: string): Promise<void> {
  const objectsDirectory = join(repository.directory, 'objects');
  const directory = join(objectsDirectory, id.slice(0, 2));
  const [wasCreated] = await Promise.all([makeDirectory(directory), file.sync()]);
  const wasRecreated = await moveInto(directory, temporaryFile, getObjectPath(repository, id));
  await Promise.all([
    ignoreMissingDirectory(syncDirectory(directory)),
    wasCreated || wasRecreated ? syncDirectory(objectsDirectory) : null,
  ]);
}

/** Attempts to recreate a directory that maintenance removed because it was empty. */
const MAX_ATTEMPTS = 5;

/** Renames a temporary file to its final path. Returns whether it had to recreate the directory. */
async function moveInto(directory: string, temporaryFile: string, path: string): Promise<boolean> {
  let wasRecreated = false;
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(temporaryFile, path);
      return wasRecreated;
    } catch (error) {
      if (!isMissing(error) || attempt === MAX_ATTEMPTS) throw error;
      wasRecreated = await makeDirectory(directory);
    }
  }
}

/** Ignores a missing directory: maintenance may have packed the object already and removed it. */
async function ignoreMissingDirectory(syncing: Promise<void>): Promise<void> {
  await syncing.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

const isMissing = (error: unknown) => hasErrorCode(error, 'ENOENT');

/** Returns whether the directory was created. */
async function makeDirectory(directory: string): Promise<boolean> {
  try {
    await mkdir(directory);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Updates the modification time of an object. Returns false if it does not exist. */
async function touch(git: Git, path: string): Promise<boolean> {
  const now = git.clock.now();
  try {
    await utimes(path, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
