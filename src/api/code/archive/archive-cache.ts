import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ArchiveOptions, StartedArchive } from '#git/archive.ts';
import { definePerGit, type Git } from '#git/git.ts';
import type { GitFailure } from '#git/process/failures.ts';
import type { Repository } from '#git/repository.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';

// Archives of the same commit, path and format are built once and stored as files in a bounded folder (contract/repository.md §8).
// Callers read the file while it grows, so that a slow caller delays neither git nor other callers.

/**
 * Limits of the cache. `file`: bytes of one archive, compressed or not. `folder`: bytes of all archives. `files`: number of
 * archives, because each new archive lists the whole folder.
 */
const LIMITS = { file: 256 * 1024 ** 2, folder: 1024 ** 3, files: 5_000 };

/** Age in milliseconds at which the unfinished file of a process that died is deleted. */
const MAX_BUILD_MS = 3 * 3_600_000;

/** Number of bytes that one read of a cached file returns. */
const CHUNK_BYTES = 64 * 1024;

/** Limits concurrent readers, because each holds a file open until its client has read everything. */
const readSlots = definePerGit((git) =>
  createConcurrencySlots({ perNetwork: git.limits.maxStreams / 2, total: git.limits.maxStreams }),
);

/** An archive that git is writing to a file. */
interface Build {
  readonly path: string;
  readonly events: EventEmitter<{ progress: [] }>;
  state: 'running' | 'complete' | 'failed';
  writtenBytes: number;
  readerCount: number;
  stop(): void;
}

/** An archive for one caller, or the failure that occurred before its first byte. */
export type Archive = { readonly content: Readable } | { readonly failure: GitFailure };

/** The result of starting a build. `large`: the archive is too large for the cache, so that each caller gets their own. */
type BuildStart = { readonly build: Build } | { readonly failure: GitFailure } | { readonly large: true };

/** The running builds by cache key. */
const getBuildsByKey = definePerGit(() => new Map<string, Promise<BuildStart>>());

/** Keys of archives that turned out to be too large, or could not be written. */
const getLargeArchiveKeys = definePerGit(() => createBoundedCache<true>(10_000));

/** The caller of an archive, and how to create it. */
interface CacheRequest {
  /** The folder of all cached archives. */
  readonly folder: string;
  readonly client: RequestClient;
  readonly clientAddress: string;
  /** Starts git in a slot for archives, which it holds until the content closes. */
  readonly start: () => Promise<StartedArchive>;
}

/** Returns the archive from the folder, from a running build, or from a new build. */
export async function openCachedArchive(
  git: Git,
  repository: Repository,
  options: ArchiveOptions,
  request: CacheRequest,
  limits = LIMITS,
): Promise<Archive> {
  const { folder, start } = request;
  const key = toCacheKey(repository, options);
  if (getLargeArchiveKeys(git).get(key)) return start();
  const releaseSlot = await readSlots(git).take(request.clientAddress, request.client);
  try {
    const file = await openComplete(git, join(folder, key));
    if (file !== null) return toArchive(file, null, releaseSlot);
    const startResult = await startOnce(git, key, request, limits);
    if ('build' in startResult) {
      const { build } = startResult;
      build.readerCount++;
      // A build that has completed meanwhile has given the file its final name.
      const growingFile = await open(build.path, 'r').catch(() => openComplete(git, join(folder, key)));
      const release = () => {
        releaseSlot();
        if (--build.readerCount === 0) build.stop();
      };
      if (growingFile !== null) return toArchive(growingFile, build, release);
      // The build has failed, so this caller gets an archive that is not cached.
      release();
      return await start();
    }
    releaseSlot();
    return 'failure' in startResult ? startResult : await start();
  } catch (error) {
    releaseSlot();
    throw error;
  }
}

/** Returns the name of the cached file. It begins with a digest of the location of the repository, which is never reused. */
function toCacheKey(repository: Repository, { commit, format, prefix, path = '', excludePaths = [] }: ArchiveOptions) {
  return digestLocation(repository) + digest(JSON.stringify([commit, format, prefix, path, excludePaths]));
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

const digestLocation = ({ directory }: Repository) => digest(directory).slice(0, 16);

/** Deletes the archives of a deleted repository. */
export async function deleteArchives(folder: string, repository: Repository): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const repositoryNames = names.filter((name) => name.startsWith(digestLocation(repository)));
  await Promise.all(repositoryNames.map((name) => rm(join(folder, name), { force: true })));
}

/** Opens a complete archive, and marks it as used. Returns null if there is none. */
async function openComplete(git: Git, path: string): Promise<FileHandle | null> {
  const file = await open(path, 'r').catch(() => null);
  const now = git.clock.now();
  if (file !== null) await utimes(path, now, now).catch(() => undefined);
  return file;
}

/** Starts a build, or returns the one that another caller has started. */
function startOnce(git: Git, key: string, request: CacheRequest, limits: typeof LIMITS): Promise<BuildStart> {
  const builds = getBuildsByKey(git);
  const runningBuild = builds.get(key);
  if (runningBuild !== undefined) return runningBuild;
  const onEnd = () => {
    if (builds.get(key) === pendingStart) builds.delete(key);
  };
  const pendingStart = startBuild(git, key, { ...request, limits, onEnd });
  builds.set(key, pendingStart);
  return pendingStart;
}

interface BuildRequest extends Pick<CacheRequest, 'folder' | 'start'> {
  readonly limits: typeof LIMITS;
  /** Runs when no further caller may join the build. */
  readonly onEnd: () => void;
}

/** Starts git and writes its output to a new file, unless the archive is too large for the cache. */
async function startBuild(git: Git, key: string, { folder, start, limits, onEnd }: BuildRequest): Promise<BuildStart> {
  const path = join(folder, `${key}.${randomUUID()}`);
  const file = await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => open(path, 'wx', 0o600))
    .catch(() => null);
  let isCached = false;
  try {
    const archive = file === null ? null : await start();
    if (archive !== null && 'failure' in archive) return archive;
    isCached = archive !== null && archive.expectedBytes <= limits.file;
    if (file !== null && archive !== null && isCached) {
      const build = createBuild(path, archive.content, onEnd);
      void fillFile(build, file, archive.content, { target: join(folder, key), maxBytes: limits.file }).then(() => {
        if (build.state === 'failed' && build.readerCount > 0) getLargeArchiveKeys(git).set(key, true);
        onEnd();
        return deleteLeastRecentlyUsed(folder, limits);
      });
      return { build };
    }
    // git has started only to find out the size, or the folder cannot be written.
    archive?.content.destroy();
    getLargeArchiveKeys(git).set(key, true);
    return { large: true };
  } finally {
    // Otherwise `fillFile` closes the file.
    if (!isCached) {
      onEnd();
      await file?.close();
      await rm(path, { force: true });
    }
  }
}

/** Returns a running build, whose readers wait for its progress events. */
function createBuild(path: string, content: Readable, onEnd: () => void): Build {
  const events = new EventEmitter<{ progress: [] }>().setMaxListeners(0);
  const stop = () => {
    content.destroy();
    onEnd();
  };
  return { path, events, state: 'running', writtenBytes: 0, readerCount: 0, stop };
}

/** Writes the content to the file and gives the file its final name. */
async function fillFile(
  build: Build,
  file: FileHandle,
  content: Readable,
  { target, maxBytes }: { readonly target: string; readonly maxBytes: number },
): Promise<void> {
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      if (build.writtenBytes + chunk.length > maxBytes) throw new Error('The archive is larger than its files');
      await file.writeFile(chunk);
      build.writtenBytes += chunk.length;
      build.events.emit('progress');
    }
    await rename(build.path, target);
    build.state = 'complete';
  } catch {
    // The readers of this build fail. The next caller gets an archive that is not cached.
    await rm(build.path, { force: true }).catch(() => undefined);
    build.state = 'failed';
  } finally {
    content.destroy();
    await file.close().catch(() => undefined);
    build.events.emit('progress');
  }
}

/** Reads a file to its end, or to the end of the build that writes it. Throws if the build fails. */
async function* readFile(file: FileHandle, build: Build | null): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const wasRunning = build?.state === 'running';
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    position += bytesRead;
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    else if (build?.state === 'failed') throw new Error('The archive was aborted');
    else if (!wasRunning) return;
    else if (build?.state === 'running' && build.writtenBytes === position) await once(build.events, 'progress');
  }
}

/** Returns the content of a file as a stream, which calls `release` and closes the file when it ends. */
function toArchive(file: FileHandle, build: Build | null, release: () => void): Archive {
  const content = Readable.from(readFile(file, build), { objectMode: false });
  // The reader of the stream gets errors too. This handler is for a stream without a reader, whose client has disconnected.
  content.on('error', () => undefined);
  // The generator cannot close the file, because it does not run if nobody reads the stream.
  content.once('close', () => {
    release();
    file.close().catch(() => undefined);
  });
  return { content };
}

/** Deletes unfinished files of dead processes, and the files that were not used for the longest time. */
async function deleteLeastRecentlyUsed(
  folder: string,
  { folder: maxBytes, files: maxFiles }: typeof LIMITS,
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const files = (await Promise.all(names.map((name) => describeFile(folder, name)))).filter((file) => file !== null);
  files.sort((a, b) => b.usedAt - a.usedAt);
  const newestUsedAt = files[0]?.usedAt ?? 0;
  let bytes = 0;
  for (const [index, { name, size, usedAt }] of files.entries()) {
    bytes += size;
    // Only unfinished files have a dot in their names.
    const isLeftover = name.includes('.') && newestUsedAt - usedAt > MAX_BUILD_MS;
    if (bytes > maxBytes || index >= maxFiles || isLeftover)
      await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

async function describeFile(folder: string, name: string) {
  const info = await stat(join(folder, name)).catch(() => null);
  return info && { name, size: info.size, usedAt: info.mtimeMs };
}
