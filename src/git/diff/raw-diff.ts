import type { Git } from '../git.ts';
import { EMPTY_TREE_ID } from '../objects/object-reader.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { runGit, spawnGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';
import { DIFF_LIMITS, type DiffLimits } from './diff.ts';

/** Diffs in git's own text format. */

const PATCH_FLAGS = [
  '-r',
  '--patch',
  '--find-renames',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
];

/** Quotes names as `git diff` does by default. */
const PATCH_CONFIG = { 'core.quotePath': 'true' };

/**
 * Returns the output of `git diff <from> <to>` within the diff limits. A file over its own limit keeps only its header.
 * Files after the total limits are omitted.
 */
export function getRawDiff(git: Git, repository: Repository, from: string | null, to: string): Promise<Buffer> {
  return coalesce(git, `raw diff ${repository.directory} ${from} ${to}`, (shared) =>
    historyWalkLimiter(shared).run(() => readRawDiff(shared, repository, from, to), shared),
  );
}

async function readRawDiff(git: Git, repository: Repository, from: string | null, to: string): Promise<Buffer> {
  const child = spawnGit(
    git,
    repository,
    'diff-tree',
    { flags: PATCH_FLAGS, args: [from ?? EMPTY_TREE_ID, to] },
    { config: PATCH_CONFIG },
  );
  child.stdin.end();
  const cutter = createPatchTruncator(DIFF_LIMITS);
  let enough = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (enough || cutter.write(chunk)) return;
    enough = true;
    child.kill();
  });
  const ended = await child.done;
  if (!ended.ok && !enough) throw new GitError('diff-tree', ended.failure);
  return cutter.end();
}

const NEWLINE = 0x0a;
/** Ratio of bytes read to bytes returned after which git is stopped. */
const MAX_READ_RATIO = 16;

interface PatchTruncator {
  /** Returns false when a limit is reached and nothing more is added. */
  write(chunk: Buffer): boolean;
  end(): Buffer;
}

/** Collects the patches of whole files within the limits. */
export function createPatchTruncator(limits: DiffLimits): PatchTruncator {
  const included: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let file: Buffer[] = [];
  let [fileBytes, files, lines, bytes, read] = [0, 0, 0, 0, 0];
  let [inHunks, tooLarge, full, inEndlessLine] = [false, false, false, false];

  function finishFile(): void {
    const size = file.reduce((sum, line) => sum + line.length, 0);
    lines += tooLarge ? 0 : file.length;
    bytes += size;
    full ||= files > limits.files || lines > limits.lines || bytes > limits.bytes;
    if (!full) included.push(...file);
    file = [];
  }

  function addLine(line: Buffer): void {
    // Lines of hunks begin with a space, + - \ or @, so this line starts the next file.
    if (line[0] === 0x64 && line.toString('latin1', 0, 11) === 'diff --git ') {
      finishFile();
      files += 1;
      [fileBytes, inHunks, tooLarge] = [0, false, false];
    } else if (line[0] === 0x40) inHunks = true;
    if (inHunks) fileBytes += line.length;
    if (fileBytes > limits.fileBytes && !tooLarge) {
      tooLarge = true;
      file = file.slice(
        0,
        file.findIndex((one) => one[0] === 0x2d),
      );
    }
    if (!tooLarge) file.push(line);
  }

  return {
    write(chunk) {
      read += chunk.length;
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(NEWLINE); end >= 0 && !full; end = rest.indexOf(NEWLINE)) {
        if (!inEndlessLine) addLine(rest.subarray(0, end + 1));
        inEndlessLine = false;
        rest = rest.subarray(end + 1);
      }
      // A line longer than the file limit makes the file too large and is discarded.
      if (inEndlessLine || rest.length > limits.fileBytes) {
        if (!inEndlessLine) addLine(rest);
        inEndlessLine = true;
        rest = Buffer.alloc(0);
      }
      full ||= read > limits.bytes * MAX_READ_RATIO;
      return !full;
    },
    end() {
      if (!full) finishFile();
      return Buffer.concat(included);
    },
  };
}

/** Maximum size of a patch whose id is computed. */
const MAX_PATCH = 32 * 1024 * 1024;

/** Returns `git patch-id --stable` of a change, which is equal for equal changes; null if nothing changed. */
export async function computePatchId(
  git: Git,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<string | null> {
  const invocation = { flags: [...PATCH_FLAGS, '--full-index'], args: [from ?? EMPTY_TREE_ID, to] };
  const patch = await runGit(git, repository, 'diff-tree', invocation, { limit: MAX_PATCH });
  if (!patch.ok) throw new GitError('diff-tree', patch.failure);
  if (patch.stdout.length === 0) return null;
  const named = await runGit(git, repository, 'patch-id', { flags: ['--stable'] }, { input: patch.stdout });
  if (!named.ok) throw new GitError('patch-id', named.failure);
  return /^[0-9a-f]{40}/.exec(named.stdout.toString('latin1'))?.[0] ?? null;
}
