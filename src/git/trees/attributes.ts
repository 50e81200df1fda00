import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { createYielder } from '#runtime/yielding.ts';
import { definePerGit, type Git } from '../git.ts';
import { readCommit, readObject } from '../objects/object-reader.ts';
import { readGitOutput } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { findTreeEntry } from './path-entries.ts';

/** `(attribute files, path)` -> value of `filter`, '' for none. */
const filterCache = definePerGit(() => createBoundedCache<string>(10_000));

/** Maximum size of an attribute file; git ignores larger ones. */
const MAX_ATTRIBUTE_FILE_BYTES = 1024 * 1024;

interface AttributeFile {
  readonly path: string;
  readonly id: string;
}

/**
 * Returns the paths with `filter=lfs` in the commit's `.gitattributes`. If no such file mentions a filter, git is not
 * started; otherwise git decides, with an index of only the attribute files.
 */
export async function filterLfsPaths(
  git: Git,
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const tree = (await readCommit(git, repository, commit))?.treeId;
  if (tree === undefined) return new Set();
  const validPaths = paths.filter((path) => path.isWellFormed() && !path.includes('\0'));
  const files = await listAttributeFiles(git, repository, tree, validPaths);
  if (files.length === 0) return new Set();
  // A cached value is valid as long as the attribute files are the same.
  const version = files.map((file) => `${file.id} ${file.path}`).join('\n');
  const toCacheKey = (path: string) => `${repository.directory}\n${version}\0${path}`;
  const uncached = validPaths.filter((path) => !filterCache(git).has(toCacheKey(path)));
  const filtersByPath = await loadFilters(git, repository, files, uncached);
  for (const path of uncached) filterCache(git).set(toCacheKey(path), filtersByPath.get(path) ?? '');
  return new Set(
    validPaths.filter((path) => (filtersByPath.get(path) ?? filterCache(git).get(toCacheKey(path))) === 'lfs'),
  );
}

/** Returns the attribute files in the directories of the paths; empty if none mentions a filter. */
async function listAttributeFiles(
  git: Git,
  repository: Repository,
  tree: string,
  paths: readonly string[],
): Promise<AttributeFile[]> {
  const files: AttributeFile[] = [];
  let hasFilter = false;
  for (const [directory, id] of await findDirectories(git, repository, tree, paths)) {
    const entry = await findTreeEntry(git, repository, id, '.gitattributes');
    if (entry?.type !== 'blob' || entry.mode === '120000') continue;
    const content = (await readObject(git, repository, entry.id, MAX_ATTRIBUTE_FILE_BYTES))?.content;
    if (content == null) continue;
    files.push({ path: `${directory}.gitattributes`, id: entry.id });
    hasFilter ||= content.includes('filter');
  }
  return hasFilter ? files : [];
}

/** Returns the directories of the paths that exist, with the ids of their trees. */
async function findDirectories(
  git: Git,
  repository: Repository,
  tree: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const yieldIfDue = createYielder();
  const treeIds = new Map([['', tree]]);
  for (const directory of (await listDirectories(paths))!) {
    await yieldIfDue();
    const end = directory.lastIndexOf('/', directory.length - 2) + 1;
    const parent = treeIds.get(directory.slice(0, end));
    if (directory === '' || parent === undefined) continue;
    const entry = await findTreeEntry(git, repository, parent, directory.slice(end, -1));
    if (entry?.type === 'tree') treeIds.set(directory, entry.id);
  }
  return treeIds;
}

async function loadFilters(
  git: Git,
  repository: Repository,
  files: readonly AttributeFile[],
  paths: readonly string[],
): Promise<Map<string, string>> {
  const filtersByPath = new Map<string, string>();
  if (paths.length === 0) return filtersByPath;
  const indexFile = join(tmpdir(), `hearth-attributes-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: indexFile };
  try {
    const entries = files.map((file) => `100644 ${file.id}\t${file.path}\0`).join('');
    await readGitOutput(git, repository, 'update-index', { flags: ['-z', '--index-info'] }, { env, input: entries });
    const flags = ['--cached', '--stdin', '-z'];
    const input = paths.map((path) => `${path}\0`).join('');
    const text = await readGitOutput(git, repository, 'check-attr', { flags, args: ['filter'] }, { env, input });
    const fields = text.toString('utf8').split('\0');
    for (let index = 0; index + 2 < fields.length; index += 3) filtersByPath.set(fields[index]!, fields[index + 2]!);
    return filtersByPath;
  } finally {
    await rm(indexFile, { force: true });
  }
}

/**
 * Returns the directories of the paths without duplicates, parents first: `''`, `a/`, `a/b/` for `a/b/c`. Null if there are more
 * than `limit`. Yields to the event loop.
 */
export async function listDirectories(
  paths: readonly string[],
  limit = Number.POSITIVE_INFINITY,
): Promise<Set<string> | null> {
  const yieldIfDue = createYielder();
  const directories = new Set(['']);
  for (const path of paths) {
    await yieldIfDue();
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      directories.add(path.slice(0, slash + 1));
    if (directories.size > limit) return null;
  }
  return directories;
}
