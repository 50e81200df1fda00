import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git } from '../git.ts';
import { missingObjects } from '../objects/missing-objects.ts';
import { GitFailed } from '../process/failures.ts';
import { eachLine } from '../process/output-records.ts';
import { TAGS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { fsck, packRefs } from '../storage/maintenance.ts';
import { makeDirectories, syncDirectory } from '../storage/storage.ts';

/**
 * A repository that moves to another storage: all its objects, reached or not, and all its refs, whatever their names, in
 * files of its own. Nothing else comes along: no alternates, no hooks, no locks, nothing half written. Its refs stand still
 * meanwhile, which is the caller's to see to; objects may come and packs be replaced.
 */

/** What was copied: path inside the repository -> SHA-1 of its bytes, as they were read. */
export type Copied = ReadonlyMap<string, string>;

/** Looks at the source that still found something new; each of them is one upkeep, or one reader's passing object. */
const MOST_LOOKS = 50;
const PIECE = 1024 * 1024;

/**
 * Copies into `draft`, a directory that isn't there yet, and makes it durable. Every object that the source has at the end
 * is in it. Throws what the file system or git says; `signal` ends it between two pieces of a file.
 */
export async function copyRepository(
  git: Git,
  source: Repository,
  draft: Repository,
  signal: AbortSignal,
): Promise<Copied> {
  const { directory } = draft;
  await makeDirectories(dirname(directory));
  await mkdir(directory);
  for (const inside of INNERMOST) await mkdir(join(directory, inside), { recursive: true });
  const copied = new Map<string, string>();
  const copy = async (path: string) => {
    copied.set(path, await copyFile(join(source.directory, path), join(directory, path), signal));
  };
  for (const path of ['HEAD', 'config']) await copy(path);
  const hasTags = await writeRefs(git, source, draft);
  for (let looks = 1, before = 0; ; looks++, before = copied.size) {
    await copyObjects(source, draft, copied, signal);
    if ((await missingObjects(git, source, draft, 1)).length === 0) break;
    if (copied.size === before) throw new Error('The copy has not all objects');
    if (looks === MOST_LOOKS) throw new Error('The objects of the repository do not come to rest');
  }
  // What annotated tags point to is written down as well, so that whoever lists them need not look.
  if (hasTags) await packRefs(git, draft);
  await syncAll(directory);
  return copied;
}

const INNERMOST = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'];

/** Puts a whole copy in its place. Durable when it returns. */
export async function placeRepository(draft: Repository, place: Repository): Promise<void> {
  await makeDirectories(dirname(place.directory));
  await rename(draft.directory, place.directory);
  await syncDirectory(dirname(place.directory));
}

/**
 * Whether a copy is what it was copied from: its files hold what was read then, it has the same refs of every name, and what
 * its objects refer to is there.
 */
export async function isSound(
  git: Git,
  { source, copy, copied }: { readonly source: Repository; readonly copy: Repository; readonly copied: Copied },
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await holds(copy, copied, signal))) return false;
  const [those, these] = await Promise.all([digestOfRefs(git, source), digestOfRefs(git, copy)]);
  return those === these && (await fsck(git, copy, 'connected')).ok;
}

async function digestOfRefs(git: Git, repository: Repository): Promise<string> {
  const hash = createHash('sha1');
  const flags = ['--format=%(objectname) %(symref) %(refname)'];
  const ended = await eachLine(git, repository, 'for-each-ref', { flags }, {}, (line) => {
    hash.update(line).update(NEWLINE);
  });
  if (!ended.ok) throw new GitFailed('for-each-ref', ended.failure);
  return hash.digest('hex');
}

async function holds(copy: Repository, copied: Copied, signal: AbortSignal): Promise<boolean> {
  for (const [path, digest] of copied) {
    const found = await digestOf(join(copy.directory, path), signal).catch(unlessGone);
    if (found !== digest) return false;
  }
  return true;
}

/** All refs as one file, which git reads like any other: however many they are, it is one file to sync. Says whether there are tags. */
async function writeRefs(git: Git, source: Repository, draft: Repository): Promise<boolean> {
  const packed: Buffer[] = [Buffer.from('# pack-refs with: sorted \n')];
  const symbolic: [name: string, target: string][] = [];
  let tags = 0;
  const take = (line: Buffer) => {
    const [id, target] = line.toString('latin1', 0, line.indexOf(0x09)).split(' ') as [string, string];
    const name = line.subarray(line.indexOf(0x09) + 1);
    if (name.toString('latin1', 0, TAGS.length) === TAGS) tags++;
    if (target === '') packed.push(Buffer.from(`${id} `), name, NEWLINE);
    else symbolic.push([name.toString('utf8'), target]);
  };
  const flags = ['--format=%(objectname) %(symref)%09%(refname)'];
  const ended = await eachLine(git, source, 'for-each-ref', { flags }, {}, take);
  if (!ended.ok) throw new GitFailed('for-each-ref', ended.failure);
  await write(join(draft.directory, 'packed-refs'), packed);
  for (const [name, target] of symbolic) {
    await mkdir(dirname(join(draft.directory, name)), { recursive: true });
    await write(join(draft.directory, name), [Buffer.from(`ref: ${target}\n`)]);
  }
  return tags > 0;
}

const NEWLINE = Buffer.from('\n');

/** Copies what is not copied yet, until the packs are the same before and after; what has been replaced meanwhile goes. */
async function copyObjects(
  source: Repository,
  draft: Repository,
  copied: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  for (let looks = 1; ; looks++) {
    const files = await objectFiles(source);
    const isWhole = await copyListed(source, draft, files, copied, signal);
    const now = await objectFiles(source);
    if (isWhole && sameFiles(packsIn(files), packsIn(now))) return removeOthers(draft, files, copied);
    if (looks === MOST_LOOKS) throw new Error('The packs of the repository do not come to rest');
    // What has another version is copied anew.
    for (const [path, version] of files) {
      if (now.get(path) === version || !copied.delete(path)) continue;
      await rm(join(draft.directory, path), { force: true });
    }
  }
}

async function copyListed(
  source: Repository,
  draft: Repository,
  files: Files,
  copied: Map<string, string>,
  signal: AbortSignal,
): Promise<boolean> {
  let whole = true;
  for (const path of files.keys()) {
    if (copied.has(path)) continue;
    await mkdir(dirname(join(draft.directory, path)), { recursive: true });
    const digest = await copyFile(join(source.directory, path), join(draft.directory, path), signal).catch(unlessGone);
    if (digest === null) whole = false;
    else copied.set(path, digest);
  }
  return whole;
}

/** What was listed in an earlier look, and is a part of a pack that is no more. */
async function removeOthers(draft: Repository, files: Files, copied: Map<string, string>): Promise<void> {
  for (const path of copied.keys()) {
    if (!path.startsWith('objects/') || files.has(path)) continue;
    copied.delete(path);
    await rm(join(draft.directory, path), { force: true });
  }
}

/** Path inside the repository -> which version of the file it is: git replaces files, it never writes into them. */
type Files = ReadonlyMap<string, string>;

/** What of `objects` is to be kept: loose objects, packs with all that belongs to them, commit graphs. */
async function objectFiles({ directory }: Repository): Promise<Files> {
  const files = new Map<string, string>();
  const look = async (inside: string, wanted: RegExp): Promise<void> => {
    const entries = await readdir(join(directory, inside), { withFileTypes: true }).catch(unlessGone);
    for (const entry of entries ?? []) {
      if (!entry.isFile() || !wanted.test(entry.name)) continue;
      const status = await stat(join(directory, inside, entry.name), { bigint: true }).catch(unlessGone);
      if (status) files.set(`${inside}/${entry.name}`, `${status.ino} ${status.size} ${status.mtimeNs}`);
    }
  };
  const folders = (await readdir(join(directory, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) await look(`objects/${folder}`, /^[0-9a-f]{38}$/);
  await look('objects/pack', /^(?:pack-[0-9a-f]{40}\.(?!keep$|lock$)\w+|multi-pack-index(?:-[0-9a-f]{40}\.\w+)?)$/);
  await look('objects/info', /^commit-graph$/);
  await look('objects/info/commit-graphs', /^(?:graph-[0-9a-f]{40}\.graph|commit-graph-chain)$/);
  return files;
}

const packsIn = (files: Files): Files =>
  new Map([...files].filter(([path]) => path.startsWith('objects/pack/') || path.startsWith('objects/info/')));

function sameFiles(one: Files, other: Files): boolean {
  return one.size === other.size && [...one].every(([path, version]) => other.get(path) === version);
}

/** Byte by byte into a file that isn't there yet; synced. Gives the SHA-1 of what was read. */
async function copyFile(from: string, to: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha1');
  await using source = await open(from, 'r');
  const { mode } = await source.stat();
  await using target = await open(to, 'wx', mode & 0o777);
  await eachPiece(source, signal, async (piece) => {
    hash.update(piece);
    await target.writeFile(piece);
  });
  await target.sync();
  return hash.digest('hex');
}

async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha1');
  await using file = await open(path, 'r');
  await eachPiece(file, signal, async (piece) => void hash.update(piece));
  return hash.digest('hex');
}

async function eachPiece(file: FileHandle, signal: AbortSignal, take: (piece: Buffer) => Promise<void>): Promise<void> {
  const { size } = await file.stat();
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, PIECE)));
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return;
    await take(buffer.subarray(0, bytesRead));
  }
}

async function write(path: string, pieces: readonly Buffer[]): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(Buffer.concat(pieces));
  await file.sync();
}

/** The names of all files, whose contents are synced already. */
async function syncAll(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...inside, directory, dirname(directory)]) await syncDirectory(path);
}

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
