import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createDeflate, deflate, deflateSync } from 'node:zlib';
import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import { syncDirectory } from '../storage/storage.ts';
import type { ObjectType } from './object-parser.ts';

const deflateAll = promisify(deflate);

/** Deflated at once: a worker thread costs more than the work. */
const AT_ONCE = 4096;
/** Deflated in one go in a worker thread; what is larger flows through in pieces. */
const ONE_GO = 1024 * 1024;
const PIECE = 256 * 1024;

/** What is larger is stored as it is: deflating takes ten times as long as writing, and repacking does it later. */
const DEFLATED = 16 * 1024 * 1024;

/** Some bytes, whole or in pieces whose total `size` is known beforehand (git's header names it). */
export type Content = Buffer | { readonly size: number; readonly chunks: AsyncIterable<Buffer> };

/**
 * Writes one object into the repository, as git itself does it: into a temporary file, synced, renamed to its place,
 * and the directories synced too. Durable when it returns; the answer is its id. Writing an object that is there again
 * costs a touch, which keeps upkeep from pruning it. The content of a stream is never in memory.
 */
export async function writeObject(
  git: Git,
  repository: Repository,
  type: ObjectType,
  content: Content,
): Promise<string> {
  if (!Buffer.isBuffer(content)) return writeStream(git, repository, type, content);
  if (content.length > ONE_GO) {
    return writeStream(git, repository, type, { size: content.length, chunks: piecesOf(content) });
  }
  const header = Buffer.from(`${type} ${content.length}\0`, 'latin1');
  const id = createHash('sha1').update(header).update(content).digest('hex');
  if (await touch(git, pathOf(repository, id))) return id;
  const whole = Buffer.concat([header, content]);
  const packed = whole.length > AT_ONCE ? await deflateAll(whole, { level: 1 }) : deflateSync(whole, { level: 1 });
  const draft = draftOf(repository);
  await withDraft(draft, async (file) => {
    await file.writeFile(packed);
    await finish(repository, file, draft, id);
  });
  return id;
}

/** The id that `content` has as an object of this type, whether it is stored or not. */
export async function objectId(type: ObjectType, content: Buffer): Promise<string> {
  const hash = createHash('sha1').update(`${type} ${content.length}\0`, 'latin1');
  if (content.length <= ONE_GO) return hash.update(content).digest('hex');
  for await (const slice of piecesOf(content)) hash.update(slice);
  return hash.digest('hex');
}

async function writeStream(
  git: Git,
  repository: Repository,
  type: ObjectType,
  content: Exclude<Content, Buffer>,
): Promise<string> {
  const hash = createHash('sha1');
  const draft = draftOf(repository);
  let id = '';

  async function* hashed(): AsyncGenerator<Buffer> {
    const header = Buffer.from(`${type} ${content.size}\0`, 'latin1');
    hash.update(header);
    yield header;
    let size = 0;
    for await (const chunk of content.chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
    if (size !== content.size) throw new Error(`An object of ${content.size} bytes was given ${size}`);
  }

  await withDraft(draft, async (file) => {
    const level = content.size > DEFLATED ? 0 : 1;
    await pipeline(hashed(), createDeflate({ level, chunkSize: PIECE }), async (packed: AsyncIterable<Buffer>) => {
      for await (const chunk of packed) await file.writeFile(chunk);
    });
    id = hash.digest('hex');
    if (await touch(git, pathOf(repository, id))) await rm(draft);
    else await finish(repository, file, draft, id);
  });
  return id;
}

function* slices(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += PIECE) yield content.subarray(at, at + PIECE);
}

/** In pieces, so that hashing hundreds of megabytes does not hold up everybody else. */
async function* piecesOf(content: Buffer): AsyncGenerator<Buffer> {
  for (const slice of slices(content)) {
    yield slice;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function pathOf(repository: Repository, id: string): string {
  return join(repository.directory, 'objects', id.slice(0, 2), id.slice(2));
}

/** git's own name for such files: its pruning removes those that a crash has left. */
function draftOf(repository: Repository): string {
  return join(repository.directory, 'objects', `tmp_obj_${randomUUID()}`);
}

async function withDraft(draft: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(draft, 'wx', 0o444);
  try {
    await work(file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function finish(repository: Repository, file: FileHandle, draft: string, id: string): Promise<void> {
  const objects = join(repository.directory, 'objects');
  const directory = join(objects, id.slice(0, 2));
  const [made] = await Promise.all([makeDirectory(directory), file.sync()]);
  const madeAgain = await moveInto(directory, draft, pathOf(repository, id));
  await Promise.all([unlessPacked(syncDirectory(directory)), made || madeAgain ? syncDirectory(objects) : null]);
}

/** So often a directory is made again that upkeep has removed, because nothing was in it. */
const MOST_TRIES = 5;

/** True: the directory was made for it. */
async function moveInto(directory: string, draft: string, path: string): Promise<boolean> {
  let made = false;
  for (let tries = 1; ; tries++) {
    try {
      await rename(draft, path);
      return made;
    } catch (error) {
      if (!isMissing(error) || tries === MOST_TRIES) throw error;
      made = await makeDirectory(directory);
    }
  }
}

/** Upkeep may have put the object into a pack already, and removed the directory. */
async function unlessPacked(synced: Promise<void>): Promise<void> {
  await synced.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** True: it was not there. */
async function makeDirectory(directory: string): Promise<boolean> {
  try {
    await mkdir(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Makes an object that exists look new. False: there is none. */
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
