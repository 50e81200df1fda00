import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git } from '../git.ts';
import { listMissingObjects } from '../objects/missing-objects.ts';
import { GitError } from '../process/failures.ts';
import { forEachLine } from '../process/output-records.ts';
import { TAGS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { fsck, packRefs } from '../storage/maintenance.ts';
import { createDirectories, syncDirectory } from '../storage/storage.ts';

// Copies a repository to another storage: all objects, reachable or not, and all refs, but no alternates, hooks, locks
// or partial files. The caller must ensure that refs do not move meanwhile. Objects may be added and packs replaced.

/** Copied files: path inside the repository -> SHA-1 of the copied bytes. */
export type CopiedFiles = ReadonlyMap<string, string>;

/** Maximum passes over a source that changes meanwhile; each change is one maintenance run or one temporary object. */
const MAX_PASSES = 50;
const CHUNK_SIZE = 1024 * 1024;

/**
 * Copies a repository into the new directory `draft`, durably. The copy contains every object that the source has at
 * the end. Throws errors of the file system or git. `signal` cancels the copy between two chunks.
 */
export async function copyRepository(
  git: Git,
  source: Repository,
  draft: Repository,
  signal: AbortSignal,
): Promise<CopiedFiles> {
  const { directory } = draft;
  await createDirectories(dirname(directory));
  await mkdir(directory);
  for (const subdirectory of SUBDIRECTORIES) await mkdir(join(directory, subdirectory), { recursive: true });
  const copied = new Map<string, string>();
  const copy = async (path: string) => {
    copied.set(path, await copyFile(join(source.directory, path), join(directory, path), signal));
  };
  for (const path of ['HEAD', 'config']) await copy(path);
  const hasTags = await writeRefs(git, source, draft);
  for (let pass = 1, previousCount = 0; ; pass++, previousCount = copied.size) {
    await copyObjects(source, draft, copied, signal);
    if ((await listMissingObjects(git, source, draft, 1)).length === 0) break;
    if (copied.size === previousCount) throw new Error('The copy does not have all objects of the repository');
    if (pass === MAX_PASSES) throw new Error('The objects of the repository kept changing during the copy');
  }
  // packed-refs also stores the targets of annotated tags, so that listing them is fast.
  if (hasTags) await packRefs(git, draft);
  await syncAll(directory);
  return copied;
}

const SUBDIRECTORIES = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'];

/** Moves a complete copy to its final path. Durable when it returns. */
export async function moveIntoPlace(draft: Repository, target: Repository): Promise<void> {
  await createDirectories(dirname(target.directory));
  await rename(draft.directory, target.directory);
  await syncDirectory(dirname(target.directory));
}

/**
 * Returns whether a copy equals its source: its files have the recorded digests, all refs are the same, and all
 * referenced objects exist.
 */
export async function isCopyIntact(
  git: Git,
  { source, copy, copied }: { readonly source: Repository; readonly copy: Repository; readonly copied: CopiedFiles },
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await hasCopiedFiles(copy, copied, signal))) return false;
  const [sourceDigest, copyDigest] = await Promise.all([digestRefs(git, source), digestRefs(git, copy)]);
  return sourceDigest === copyDigest && (await fsck(git, copy, 'connectivity')).ok;
}

async function digestRefs(git: Git, repository: Repository): Promise<string> {
  const hash = createHash('sha1');
  const flags = ['--format=%(objectname) %(symref) %(refname)'];
  const exit = await forEachLine(git, repository, 'for-each-ref', { flags }, {}, (line) => {
    hash.update(line).update(NEWLINE);
  });
  if (!exit.ok) throw new GitError('for-each-ref', exit.failure);
  return hash.digest('hex');
}

async function hasCopiedFiles(copy: Repository, copied: CopiedFiles, signal: AbortSignal): Promise<boolean> {
  for (const [path, digest] of copied) {
    const actualDigest = await digestFile(join(copy.directory, path), signal).catch(returnNullIfMissing);
    if (actualDigest !== digest) return false;
  }
  return true;
}

/** Writes all refs into one packed-refs file, which needs only one sync. Returns whether there are tags. */
async function writeRefs(git: Git, source: Repository, draft: Repository): Promise<boolean> {
  const packedLines: Buffer[] = [Buffer.from('# pack-refs with: sorted \n')];
  const symbolicRefs: [name: string, target: string][] = [];
  let tagCount = 0;
  const addRef = (line: Buffer) => {
    const [id, target] = line.toString('latin1', 0, line.indexOf(0x09)).split(' ') as [string, string];
    const name = line.subarray(line.indexOf(0x09) + 1);
    if (name.toString('latin1', 0, TAGS.length) === TAGS) tagCount++;
    if (target === '') packedLines.push(Buffer.from(`${id} `), name, NEWLINE);
    else symbolicRefs.push([name.toString('utf8'), target]);
  };
  const flags = ['--format=%(objectname) %(symref)%09%(refname)'];
  const exit = await forEachLine(git, source, 'for-each-ref', { flags }, {}, addRef);
  if (!exit.ok) throw new GitError('for-each-ref', exit.failure);
  await writeNewFile(join(draft.directory, 'packed-refs'), packedLines);
  for (const [name, target] of symbolicRefs) {
    await mkdir(dirname(join(draft.directory, name)), { recursive: true });
    await writeNewFile(join(draft.directory, name), [Buffer.from(`ref: ${target}\n`)]);
  }
  return tagCount > 0;
}

const NEWLINE = Buffer.from('\n');

/**
 * Copies missing files until the packs are the same before and after a pass. Deletes copies of files that maintenance
 * replaced.
 */
async function copyObjects(
  source: Repository,
  draft: Repository,
  copied: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  for (let pass = 1; ; pass++) {
    const files = await listObjectFiles(source);
    const isComplete = await copyListedFiles(source, draft, files, copied, signal);
    const currentFiles = await listObjectFiles(source);
    if (isComplete && areSameFiles(selectPacks(files), selectPacks(currentFiles)))
      return removeReplacedFiles(draft, files, copied);
    if (pass === MAX_PASSES) throw new Error('The packs of the repository kept changing during the copy');
    // Files with another version are copied again.
    for (const [path, version] of files) {
      if (currentFiles.get(path) === version || !copied.delete(path)) continue;
      await rm(join(draft.directory, path), { force: true });
    }
  }
}

/** Copies the listed files that are not copied yet. Returns false if one of them was deleted meanwhile. */
async function copyListedFiles(
  source: Repository,
  draft: Repository,
  files: FileVersions,
  copied: Map<string, string>,
  signal: AbortSignal,
): Promise<boolean> {
  let isComplete = true;
  for (const path of files.keys()) {
    if (copied.has(path)) continue;
    await mkdir(dirname(join(draft.directory, path)), { recursive: true });
    const digest = await copyFile(join(source.directory, path), join(draft.directory, path), signal).catch(
      returnNullIfMissing,
    );
    if (digest === null) isComplete = false;
    else copied.set(path, digest);
  }
  return isComplete;
}

/** Deletes copies of files that belong to a replaced pack. */
async function removeReplacedFiles(draft: Repository, files: FileVersions, copied: Map<string, string>): Promise<void> {
  for (const path of copied.keys()) {
    if (!path.startsWith('objects/') || files.has(path)) continue;
    copied.delete(path);
    await rm(join(draft.directory, path), { force: true });
  }
}

/** Path inside the repository -> identity of the file: git replaces files instead of writing into them. */
type FileVersions = ReadonlyMap<string, string>;

/** Lists the files of `objects` to copy: loose objects, packs with their indexes, commit graphs. */
async function listObjectFiles({ directory }: Repository): Promise<FileVersions> {
  const files = new Map<string, string>();
  const addFiles = async (subdirectory: string, pattern: RegExp): Promise<void> => {
    const entries = await readdir(join(directory, subdirectory), { withFileTypes: true }).catch(returnNullIfMissing);
    for (const entry of entries ?? []) {
      if (!entry.isFile() || !pattern.test(entry.name)) continue;
      const status = await stat(join(directory, subdirectory, entry.name), { bigint: true }).catch(returnNullIfMissing);
      if (status) files.set(`${subdirectory}/${entry.name}`, `${status.ino} ${status.size} ${status.mtimeNs}`);
    }
  };
  const folders = (await readdir(join(directory, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) await addFiles(`objects/${folder}`, /^[0-9a-f]{38}$/);
  // `.keep` and `.lock` files belong to a running git process.
  await addFiles('objects/pack', /^(?:pack-[0-9a-f]{40}\.(?!keep$|lock$)\w+|multi-pack-index(?:-[0-9a-f]{40}\.\w+)?)$/);
  await addFiles('objects/info', /^commit-graph$/);
  await addFiles('objects/info/commit-graphs', /^(?:graph-[0-9a-f]{40}\.graph|commit-graph-chain)$/);
  return files;
}

const selectPacks = (files: FileVersions): FileVersions =>
  new Map([...files].filter(([path]) => path.startsWith('objects/pack/') || path.startsWith('objects/info/')));

function areSameFiles(one: FileVersions, other: FileVersions): boolean {
  return one.size === other.size && [...one].every(([path, version]) => other.get(path) === version);
}

/** Copies a file into a new one, syncs it, and returns the SHA-1 of the content. */
async function copyFile(sourcePath: string, targetPath: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha1');
  await using source = await open(sourcePath, 'r');
  const { mode } = await source.stat();
  await using target = await open(targetPath, 'wx', mode & 0o777);
  await forEachChunk(source, signal, async (chunk) => {
    hash.update(chunk);
    await target.writeFile(chunk);
  });
  await target.sync();
  return hash.digest('hex');
}

async function digestFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha1');
  await using file = await open(path, 'r');
  await forEachChunk(file, signal, async (chunk) => void hash.update(chunk));
  return hash.digest('hex');
}

async function forEachChunk(
  file: FileHandle,
  signal: AbortSignal,
  onChunk: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const { size } = await file.stat();
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_SIZE)));
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return;
    await onChunk(buffer.subarray(0, bytesRead));
  }
}

async function writeNewFile(path: string, chunks: readonly Buffer[]): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(Buffer.concat(chunks));
  await file.sync();
}

/** Syncs all directories; the contents of files are synced already. */
async function syncAll(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const subdirectories = entries
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...subdirectories, directory, dirname(directory)]) await syncDirectory(path);
}

/** Error handler for files that maintenance may have deleted. */
function returnNullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
