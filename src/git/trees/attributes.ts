import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import { readCommit, readObject } from '../objects/object-reader.ts';
import { output } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { entryInTree } from './path-entries.ts';

/** `(attribute files, path)` -> value of `filter`, '' for none. */
const filters = ownedBy(() => keptAtMost<string>(10_000));

/** git takes no attribute file that is larger. */
const LARGEST_FILE = 1024 * 1024;

interface AttributeFile {
  readonly path: string;
  readonly id: string;
}

/**
 * Those of the paths to which `.gitattributes` of the commit give `filter=lfs`. Where no such file speaks of a filter,
 * git is not asked; otherwise git itself decides, over an index that holds the attribute files and nothing else.
 */
export async function lfsPaths(
  git: Git,
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<Set<string>> {
  const tree = (await readCommit(git, repository, commit))?.treeId;
  if (tree === undefined) return new Set();
  const usable = paths.filter((path) => path.isWellFormed() && !path.includes('\0'));
  const files = await attributeFiles(git, repository, tree, usable);
  if (files.length === 0) return new Set();
  const version = files.map((file) => `${file.id} ${file.path}`).join('\n');
  const keyOf = (path: string) => `${repository.directory}\n${version}\0${path}`;
  const asked = usable.filter((path) => !filters(git).has(keyOf(path)));
  const answers = await askFilters(git, repository, files, asked);
  for (const path of asked) filters(git).set(keyOf(path), answers.get(path) ?? '');
  return new Set(usable.filter((path) => (answers.get(path) ?? filters(git).get(keyOf(path))) === 'lfs'));
}

/** The attribute files in the directories of the paths, if at least one of them speaks of a filter. */
async function attributeFiles(
  git: Git,
  repository: Repository,
  tree: string,
  paths: readonly string[],
): Promise<AttributeFile[]> {
  const files: AttributeFile[] = [];
  let speaks = false;
  for (const directory of directoriesOf(paths)) {
    const path = `${directory}.gitattributes`;
    const entry = await entryInTree(git, repository, tree, path);
    if (entry?.type !== 'blob' || entry.mode === '120000') continue;
    const content = (await readObject(git, repository, entry.id, LARGEST_FILE))?.content;
    if (content == null) continue;
    files.push({ path, id: entry.id });
    speaks ||= content.includes('filter');
  }
  return speaks ? files : [];
}

/** `''`, `a/`, `a/b/` for `a/b/c`; each once, in an order of its own. */
function directoriesOf(paths: readonly string[]): string[] {
  const directories = new Set(['']);
  for (const path of paths) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) directories.add(path.slice(0, at + 1));
  }
  return [...directories].sort();
}

async function askFilters(
  git: Git,
  repository: Repository,
  files: readonly AttributeFile[],
  paths: readonly string[],
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  if (paths.length === 0) return answers;
  const index = join(tmpdir(), `hearth-attributes-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    const entries = files.map((file) => `100644 ${file.id}\t${file.path}\0`).join('');
    await output(git, repository, 'update-index', { flags: ['-z', '--index-info'] }, { env, input: entries });
    const flags = ['--cached', '--stdin', '-z'];
    const input = paths.map((path) => `${path}\0`).join('');
    const text = await output(git, repository, 'check-attr', { flags, args: ['filter'] }, { env, input });
    const fields = text.toString('utf8').split('\0');
    for (let at = 0; at + 2 < fields.length; at += 3) answers.set(fields[at]!, fields[at + 2]!);
    return answers;
  } finally {
    await rm(index, { force: true });
  }
}
