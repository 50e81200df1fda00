import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isUnit } from './test-selection.ts';

// The test files of `npm test -- --changed`. All paths are relative to the root of the project.

/** Check the text of every file, so every change reaches them. */
const CHECKS_OF_ALL_FILES = ['test/language.unit.test.ts', 'test/layers.unit.test.ts'];

/**
 * Returns the files that are not committed, or changed in commits that the upstream branch does not have. Without an upstream,
 * commits are compared with the default branch of `origin`; without that, only uncommitted files count.
 */
export function listChangedFiles(root: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\0')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '');
  const findBase = (branch: string): string | undefined => {
    try {
      return git('merge-base', 'HEAD', branch)[0];
    } catch {
      return undefined;
    }
  };
  const base = findBase('@{upstream}') ?? findBase('origin/HEAD') ?? 'HEAD';
  const changedFiles = git('diff', '--name-only', '--relative', '-z', base);
  return [...new Set([...changedFiles, ...git('ls-files', '--others', '--exclude-standard', '-z')])];
}

/**
 * Returns the test files that the changed files reach. A test reaches what it imports, directly or not, and each file whose name
 * it quotes. A test in `src` that starts a server also reaches the files of its own folder, which it calls over HTTP, but not all
 * endpoints of the server: their folders have tests of their own. Tests in `test` check every endpoint.
 */
export function findReachedTests(root: string, changedFiles: readonly string[]): string[] {
  const files = globSync('{src,test,scripts,bench}/**/*.{ts,js}', { cwd: root }).sort();
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const importsByFile = new Map([...texts].map(([file, text]) => [file, listImports(file, text)]));
  const isReached = (file: string, test: string) =>
    !(test.startsWith('src/') && (ASSEMBLERS.test(file) || file.endsWith('/endpoints.ts')));

  const startNodes = new Set(changedFiles);
  for (const [file, text] of texts)
    if (changedFiles.some((changed) => quotes(file, text, changed))) startNodes.add(file);

  return files.filter((test) => {
    if (!test.endsWith('.test.ts')) return false;
    if (CHECKS_OF_ALL_FILES.includes(test)) return changedFiles.length > 0;
    const neighbours = test.startsWith('src/') && !isUnit(test) ? files.filter((file) => isNeighbour(file, test)) : [];
    const visited = new Set([test, ...neighbours]);
    for (const file of visited) {
      if (startNodes.has(file)) return true;
      if (!isReached(file, test) && !neighbours.includes(file)) continue;
      for (const imported of importsByFile.get(file) ?? []) visited.add(imported);
    }
    return false;
  });
}

/** Files that import all endpoints: the server, and the index of the API and of each area. */
const ASSEMBLERS = /^src\/(?:server|main|api\/(?:[\w-]+\/)?index)\.ts$/;

const isNeighbour = (file: string, test: string): boolean =>
  dirname(file) === dirname(test) && !file.endsWith('.test.ts');

/** Returns whether a file quotes the name of another file of its folder; files outside `src` read files of any folder. */
function quotes(file: string, text: string, other: string): boolean {
  if (file.startsWith('src/') && dirname(file) !== dirname(other)) return false;
  return [basename(other), other].some((name) => text.includes(`'${name}'`)) || text.includes(`/${other}'`);
}

const IMPORT =
  /^\s*(?:import|export)\s(?!type\s)[^'";]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** Returns the files and packages that a file imports, without imports of types only. */
function listImports(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => {
    const target = (from ?? bare ?? dynamic)!;
    if (/^#(?:test|web)\//.test(target)) return target.slice(1);
    if (target.startsWith('#')) return `src/${target.slice(1)}`;
    return target.startsWith('.') ? relative('/', resolve('/', dirname(file), target)) : target;
  });
}
