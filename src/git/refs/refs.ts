import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type Git, ownedBy } from '../git.ts';
import type { ObjectType } from '../objects/object-parser.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { eachLine } from '../process/output-records.ts';
import { output } from '../process/spawn.ts';
import { decodeName, HEADS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists, syncDirectory } from '../storage/storage.ts';
import { readLooseRef, readPackedRef } from './ref-files.ts';

/** In an update: no ref. */
export const zeroId = '0'.repeat(40);

/** Forty hexadecimal digits. */
export function isSha(text: string): boolean {
  return /^[0-9a-f]{40}$/i.test(text);
}

/** Whether a name begins as an id does: reserved among branches, since whoever gives it would be given the object. */
export function beginsWithSha(name: string): boolean {
  return isSha(name.slice(0, 40));
}

/** Would this name of a tag be taken for an object's id, of SHA-1 or of SHA-256? */
export function looksLikeObjectId(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name);
}

/** Whether `refs/heads/<name>` may be made (contract: repository.md section 2, "Valid branch name"). */
export function validBranchName(name: string): boolean {
  return name !== 'HEAD' && !/^(?:-|refs\/heads\/|refs\/remotes\/)/.test(name) && validRefPath(name, LONGEST_NAME);
}

/** Whether `refs/tags/<name>` may be made: the same rules. */
export function validTagName(name: string): boolean {
  return validBranchName(name);
}

/** A full name (`refs/...`) that git accepts. */
export function validRefName(ref: string): boolean {
  return ref.startsWith('refs/') && validRefPath(ref, LONGEST_NAME + HEADS.length);
}

/** The longest name in bytes: `refs/heads/<name>.lock` and each part of it must be files. */
export const LONGEST_NAME = 1024;
const LONGEST_SEGMENT = 250;

/** The rules of git for everything that may follow `refs/heads/`. */
function validRefPath(path: string, longest: number): boolean {
  if (path === '' || path.endsWith('.') || /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(path) || !path.isWellFormed())
    return false;
  if (Buffer.byteLength(path) > longest) return false;
  return path.split('/').every(validSegment);
}

function validSegment(segment: string): boolean {
  if (segment === '' || segment.startsWith('.') || segment.endsWith('.lock')) return false;
  return Buffer.byteLength(segment) <= LONGEST_SEGMENT;
}

/**
 * What a full ref name points to at this moment (of an annotated tag: the tag object); null when there is no such ref.
 * Read from the ref's own file, then from packed-refs, as git does it; starts no process.
 */
export async function resolveRef(repository: Repository, ref: string): Promise<string | null> {
  let name = ref;
  for (let depth = 0; depth < 5; depth += 1) {
    if (!validRefName(name)) return null;
    const loose = await readLooseRef(repository, name);
    if (loose === null) return readPackedRef(repository, name);
    if (!loose.startsWith('ref: ')) return loose;
    name = loose.slice('ref: '.length).trim();
  }
  return null;
}

/** The branch that HEAD names, whether it exists or not: the default branch. Null: no repository yet. */
export async function headTarget(repository: Repository): Promise<string | null> {
  const text = await readFile(join(repository.directory, 'HEAD'), 'utf8').catch(() => null);
  const prefix = `ref: ${HEADS}`;
  return text?.startsWith(prefix) ? text.slice(prefix.length).trimEnd() || null : null;
}

/** Makes HEAD name this branch (valid; it need not exist). Durable when it returns. */
export async function setHead(git: Git, repository: Repository, branch: string): Promise<void> {
  if (!validBranchName(branch)) throw new Error(`HEAD cannot name ${JSON.stringify(branch)}`);
  await output(git, repository, 'symbolic-ref', { args: ['HEAD', HEADS + branch] });
  await syncDirectory(repository.directory);
}

/** A ref in a list. */
export interface Ref {
  /** The full name; see `ref-names.ts` for bytes that are no UTF-8. */
  readonly name: string;
  readonly id: string;
  readonly type: ObjectType;
  /** The commit at the end of it: an annotated tag's target; null when that is no commit. */
  readonly commitId: string | null;
  /** Unix seconds of an annotated tag's making; null for others. */
  readonly taggedAt: number | null;
  /** Committer's Unix seconds of that commit, 0 when there is none: the order of `updated_desc`. */
  readonly committedAt: number;
}

const lists = ownedBy(
  () =>
    new LRUCache<string, readonly Ref[]>({
      maxSize: 200_000,
      sizeCalculation: (refs) => refs.length + 1,
    }),
);

/**
 * All refs below a prefix (`refs/heads/`, `refs/tags/`), by name, bytewise ascending. With the ref-state `version` that
 * the caller has read in this request the list is asked from git once per version; without one it is asked now.
 */
export async function listRefs(
  git: Git,
  repository: Repository,
  prefix: string,
  version?: string,
): Promise<readonly Ref[]> {
  if (version === undefined) return askForRefs(git, repository, prefix);
  const key = `${repository.directory} ${prefix} ${version}`;
  const known = lists(git).get(key);
  if (known !== undefined) return known;
  return together(git, `refs ${key}`, async (shared) => {
    const refs = await askForRefs(shared, repository, prefix);
    lists(git).set(key, refs);
    return refs;
  });
}

const refFormat = [
  '%(objectname)',
  '%(objecttype)',
  '%(*objectname)',
  '%(*objecttype)',
  '%(taggerdate:unix)',
  '%(committerdate:unix)',
  '%(*committerdate:unix)',
  '%(refname)',
].join('%09');

async function askForRefs(git: Git, repository: Repository, prefix: string): Promise<readonly Ref[]> {
  if (!(await repositoryExists(repository))) return [];
  const flags = [`--format=${refFormat}`];
  const refs: Ref[] = [];
  const take = (line: Buffer): unknown => refs.push(parseRef(line));
  const ended = await eachLine(git, repository, 'for-each-ref', { flags, args: [prefix] }, {}, take);
  if (!ended.ok) throw new GitFailed('for-each-ref', ended.failure);
  return refs;
}

function parseRef(line: Buffer): Ref {
  const name = line.lastIndexOf(0x09) + 1;
  const fields = line.toString('latin1', 0, name).split('\t');
  const [id, type, peeledId, peeledType, taggedAt, committedAt, peeledCommittedAt] = fields;
  return {
    name: decodeName(line.subarray(name)),
    id: id!,
    type: type as ObjectType,
    commitId: type === 'commit' ? id! : peeledType === 'commit' ? peeledId! : null,
    taggedAt: taggedAt ? Number(taggedAt) : null,
    committedAt: Number(committedAt || peeledCommittedAt || 0),
  };
}

/**
 * The directories that making, moving or removing this ref can have changed, for `syncDirectory`. Those of branches and
 * tags are made with the repository and stay: a ref directly in one of them changes nothing above it, unless it is
 * removed, from packed-refs too.
 */
export function directoriesOfRef(repository: Repository, ref: string, removed: boolean): string[] {
  const own = dirname(ref);
  if (!removed && (own === 'refs/heads' || own === 'refs/tags')) return [join(repository.directory, own)];
  const directories = [repository.directory];
  for (let at = own; at !== '.'; at = dirname(at)) directories.push(join(repository.directory, at));
  return directories;
}
