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
  const truncator = createPatchTruncator(DIFF_LIMITS);
  let isComplete = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (isComplete || truncator.write(chunk)) return;
    isComplete = true;
    child.kill();
  });
  const exit = await child.done;
  if (!exit.ok && !isComplete) throw new GitError('diff-tree', exit.failure);
  return truncator.end();
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
  const includedLines: Buffer[] = [];
  let unparsed: Buffer = Buffer.alloc(0);
  let fileLines: Buffer[] = [];
  let [fileBytes, files, lines, bytes, bytesRead] = [0, 0, 0, 0, 0];
  let [inHunks, tooLarge, limitReached, inOverlongLine] = [false, false, false, false];

  function finishFile(): void {
    const size = fileLines.reduce((sum, line) => sum + line.length, 0);
    lines += tooLarge ? 0 : fileLines.length;
    bytes += size;
    limitReached ||= files > limits.files || lines > limits.lines || bytes > limits.bytes;
    if (!limitReached) includedLines.push(...fileLines);
    fileLines = [];
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
      fileLines = fileLines.slice(
        0,
        fileLines.findIndex((fileLine) => fileLine[0] === 0x2d),
      );
    }
    if (!tooLarge) fileLines.push(line);
  }

  return {
    write(chunk) {
      bytesRead += chunk.length;
      unparsed = unparsed.length === 0 ? chunk : Buffer.concat([unparsed, chunk]);
      for (let end = unparsed.indexOf(NEWLINE); end >= 0 && !limitReached; end = unparsed.indexOf(NEWLINE)) {
        if (!inOverlongLine) addLine(unparsed.subarray(0, end + 1));
        inOverlongLine = false;
        unparsed = unparsed.subarray(end + 1);
      }
      // A line longer than the file limit makes the file too large and is discarded.
      if (inOverlongLine || unparsed.length > limits.fileBytes) {
        if (!inOverlongLine) addLine(unparsed);
        inOverlongLine = true;
        unparsed = Buffer.alloc(0);
      }
      limitReached ||= bytesRead > limits.bytes * MAX_READ_RATIO;
      return !limitReached;
    },
    end() {
      if (!limitReached) finishFile();
      return Buffer.concat(includedLines);
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
  const patch = await runGit(git, repository, 'diff-tree', invocation, { maxOutputBytes: MAX_PATCH });
  if (!patch.ok) throw new GitError('diff-tree', patch.failure);
  if (patch.stdout.length === 0) return null;
  const patchId = await runGit(git, repository, 'patch-id', { flags: ['--stable'] }, { input: patch.stdout });
  if (!patchId.ok) throw new GitError('patch-id', patchId.failure);
  return /^[0-9a-f]{40}/.exec(patchId.stdout.toString('latin1'))?.[0] ?? null;
}
