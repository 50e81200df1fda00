import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { hasErrorCode } from '#runtime/failure.ts';
import { definePerGit, type Git } from '../git.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { createFieldSplitter } from '../process/output-records.ts';
import { spawnGit } from '../process/spawn.ts';
import { decodeName } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import { findEntryAtPath, findTreeEntry, historyWalkLimiter } from './path-entries.ts';
import type { TreeListEntry } from './tree-list.ts';

// The last commits of many entries of one folder, found in one walk of git through the history. The result for an entry is that of
// `findLastCommit`: at each commit the entry moves on to the first parent that has the same one, and ends where there is none.

/** Duration in milliseconds after which a walk ends. Entries that it has not found then are missing. */
const MAX_WALK_MS = 2_000;

/** Age in milliseconds at which an incomplete result is computed again: the walk may have been slow for another reason. */
const MAX_INCOMPLETE_AGE_MS = 10 * 60_000;

/** The entries of a folder whose last commits are requested. */
interface FolderEntries {
  readonly commit: string;
  /** Path of the folder; empty for the root. */
  readonly folder: string;
  /** Entries that the folder has in the commit; paths are relative to it. */
  readonly entries: readonly TreeListEntry[];
}

interface CachedResult {
  readonly commitsByPath: ReadonlyMap<string, string>;
  readonly isComplete: boolean;
  readonly computedAt: number;
}

/** At most 100 entries each, some 20 kB. */
const resultCache = definePerGit(() => createBoundedCache<CachedResult>(500));

/**
 * Returns the last commit by the path of the entry, for those that a walk of two seconds reaches. Cached by commit, folder and first
 * entry.
 */
export async function findLastCommits(
  git: Git,
  repository: Repository,
  folderEntries: FolderEntries,
  maxWalkMs = MAX_WALK_MS,
): Promise<ReadonlyMap<string, string>> {
  const { commit, folder, entries } = folderEntries;
  if (entries.length === 0) return new Map();
  const key = `${repository.directory} ${commit} ${folder}\n${entries.length} ${entries[0]!.path}`;
  const now = git.clock.now().getTime();
  const cached = resultCache(git).get(key);
  if (cached && (cached.isComplete || now - cached.computedAt < MAX_INCOMPLETE_AGE_MS)) return cached.commitsByPath;
  return coalesce(git, `last commits ${key}`, async (sharedGit) => {
    const commitsByPath = await historyWalkLimiter(sharedGit).run(
      () => walkHistory(sharedGit, repository, folderEntries, maxWalkMs),
      sharedGit,
    );
    resultCache(git).set(key, { commitsByPath, isComplete: commitsByPath.size === entries.length, computedAt: now });
    return commitsByPath;
  });
}

async function walkHistory(
  git: Git,
  repository: Repository,
  { commit, folder, entries }: FolderEntries,
  maxWalkMs: number,
): Promise<ReadonlyMap<string, string>> {
  const endsAt = performance.now() + maxWalkMs;
  const walk = new Walk(git, repository, { folder, entries, endsAt });
  walk.wait(commit, walk.entryByName.keys());
  // Where a commit is younger than its child, git may pass it before an entry waits there. Another walk begins at such commits.
  while (walk.hasWaiting) {
    if (walk.isOver || !(await runLog(git, repository, walk, folder))) break;
  }
  return walk.commitsByName;
}

/** The output of `git log`: the commit with its parents; for each change two fields; the first one begins with a colon. */
const LOG_FLAGS = [
  '--format=tformat:%H %P',
  '--raw',
  '-z',
  '--no-abbrev',
  '--no-renames',
  '--ignore-submodules=none',
  '--diff-merges=first-parent',
  // Every commit is passed, whether it changes the folder or not: the path selects only the changes.
  '--full-history',
  '--sparse',
];

/** Passes commits to the walk, the youngest first. Returns false if it ended before the history did. */
async function runLog(git: Git, repository: Repository, walk: Walk, folder: string): Promise<boolean> {
  const invocation = { flags: LOG_FLAGS, args: walk.waitingCommits(), paths: folder === '' ? [] : [folder] };
  const child = spawnGit(git, repository, 'log', invocation, { timeoutMs: Math.max(1, walk.remainingMs) });
  child.stdin.end();
  walk.beginOutput();
  const splitter = createFieldSplitter();
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      for (const field of splitter.split(chunk)) {
        const pendingTrees = walk.take(field);
        if (pendingTrees === null) continue;
        await pendingTrees;
        if (walk.isOver) break;
      }
      if (!walk.hasWaiting || walk.isOver) break;
    }
  } catch (error) {
    // The output of a process that is stopped ends early; its exit has the reason.
    if (!hasErrorCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) {
      child.kill();
      throw error;
    }
  }
  if (!walk.hasWaiting || walk.isOver) {
    child.kill();
    return !walk.hasWaiting;
  }
  const exit = await child.done;
  if (exit.ok) {
    await walk.finishCommit();
    return true;
  }
  if (exit.failure.kind === 'timed-out' || exit.failure.kind === 'too-large') return false;
  throw new GitError('log', exit.failure);
}

interface WalkOptions extends Pick<FolderEntries, 'folder' | 'entries'> {
  /** The time of `performance.now()` after which nothing more is read. */
  readonly endsAt: number;
}

/** The state of a walk through the history: which entries wait at which commits, and the commit that git is listing. */
class Walk {
  readonly commitsByName = new Map<string, string>();
  readonly entryByName: ReadonlyMap<string, TreeListEntry>;
  readonly #git: Git;
  readonly #repository: Repository;
  readonly #folder: string;
  readonly #endsAt: number;
  /** Length of the folder's path with its slash, in bytes. */
  readonly #prefixBytes: number;
  readonly #namesByCommit = new Map<string, Set<string>>();
  /** The current commit; null if no entry waits there. */
  #current: { readonly id: string; readonly parentIds: readonly string[]; readonly changedNames: Set<string> } | null =
    null;
  #isPathNext = false;

  constructor(git: Git, repository: Repository, { folder, entries, endsAt }: WalkOptions) {
    this.#git = git;
    this.#repository = repository;
    this.#folder = folder;
    this.#endsAt = endsAt;
    this.#prefixBytes = folder === '' ? 0 : Buffer.byteLength(folder) + 1;
    this.entryByName = new Map(entries.map((entry) => [entry.path, entry]));
  }

  get hasWaiting(): boolean {
    return this.#namesByCommit.size > 0;
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  get isOver(): boolean {
    return this.remainingMs <= 0;
  }

  waitingCommits(): string[] {
    return [...this.#namesByCommit.keys()];
  }

  wait(commit: string, names: Iterable<string>): void {
    const waitingNames = this.#namesByCommit.get(commit);
    if (waitingNames === undefined) this.#namesByCommit.set(commit, new Set(names));
    else for (const name of names) waitingNames.add(name);
  }

  /** Forgets the rest of an output that ended within a commit. */
  beginOutput(): void {
    this.#current = null;
    this.#isPathNext = false;
  }

  /** Takes the next field of the output. Returns a promise while trees of a merge are read. */
  take(field: Buffer): Promise<void> | null {
    if (this.#isPathNext) {
      this.#isPathNext = false;
      if (this.#current !== null) this.#addChangedName(this.#current.changedNames, field);
      return null;
    }
    // git begins the changes of a commit with a line feed.
    const start = field[0] === LINE_FEED ? 1 : 0;
    if (field[start] === COLON) {
      this.#isPathNext = true;
      return null;
    }
    const pendingTrees = this.finishCommit();
    const header = field.toString('latin1', start);
    // The entries of a merge may move on to the very next commit.
    if (pendingTrees !== null) return pendingTrees.then(() => this.#beginCommit(header));
    this.#beginCommit(header);
    return null;
  }

  #beginCommit(header: string): void {
    const [id = '', ...parentIds] = header.split(' ').filter(Boolean);
    this.#current = this.#namesByCommit.has(id) ? { id, parentIds, changedNames: new Set() } : null;
  }

  /** Adds the name in the folder that a changed path is or is below. The folder may have millions that nobody asked for. */
  #addChangedName(names: Set<string>, path: Buffer): void {
    const end = path.indexOf(SLASH, this.#prefixBytes);
    const name = decodeName(path.subarray(this.#prefixBytes, end < 0 ? path.length : end));
    if (this.entryByName.has(name)) names.add(name);
  }

  /** Moves the entries that wait at the current commit to its parents, or stores the commit as their last one. */
  finishCommit(): Promise<void> | null {
    const current = this.#current;
    this.#current = null;
    const names = current && this.#namesByCommit.get(current.id);
    if (!current || !names) return null;
    this.#namesByCommit.delete(current.id);
    const [firstParent, ...otherParents] = current.parentIds;
    const isChanged = (name: string) => firstParent === undefined || current.changedNames.has(name);
    const changedNames = [...names].filter(isChanged);
    if (firstParent !== undefined && changedNames.length < names.size)
      this.wait(
        firstParent,
        [...names].filter((name) => !isChanged(name)),
      );
    if (otherParents.length > 0 && changedNames.length > 0)
      return this.#moveToOtherParents(current.id, otherParents, changedNames);
    for (const name of changedNames) this.commitsByName.set(name, current.id);
    return null;
  }

  /**
   * Moves entries of a merge that differ from its first parent to the parent that has them, or stores the merge. At the end of the
   * time those that are left stay unknown: a process may be needed to read each.
   */
  async #moveToOtherParents(merge: string, parentIds: readonly string[], names: readonly string[]): Promise<void> {
    const [git, repository] = [this.#git, this.#repository];
    let remainingNames = names;
    for (const parent of parentIds) {
      const tree = await findEntryAtPath(git, repository, parent, this.#folder);
      if (tree?.type !== 'tree') continue;
      const changedNames: string[] = [];
      for (const name of remainingNames) {
        if (this.isOver) return;
        const { id, mode } = this.entryByName.get(name)!;
        const parentEntry = await findTreeEntry(git, repository, tree.id, name);
        if (parentEntry?.id === id && parentEntry.mode === mode) this.wait(parent, [name]);
        else changedNames.push(name);
      }
      remainingNames = changedNames;
    }
    for (const name of remainingNames) this.commitsByName.set(name, merge);
  }
}

const LINE_FEED = 0x0a;
const SLASH = 0x2f;
const COLON = 0x3a;
