import type { Git } from '../git.ts';
import { emptyTree } from '../objects/object-reader.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { run, stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';
import { type DiffLimits, diffLimits } from './diff.ts';

/** A comparison as git itself writes it. */

const flags = ['-r', '--patch', '--find-renames', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'];

/** Names are written as `git diff` writes them for whoever has configured nothing. */
const config = { 'core.quotePath': 'true' };

/**
 * What `git diff <from> <to>` says, up to the limits of comparisons: of a file that alone is over them the head is left, and what
 * comes after the limits of all files is left out.
 */
export function rawDiff(git: Git, repository: Repository, from: string | null, to: string): Promise<Buffer> {
  return together(git, `raw diff ${repository.directory} ${from} ${to}`, (shared) =>
    walks(shared).enter(() => readRawDiff(shared, repository, from, to), shared),
  );
}

async function readRawDiff(git: Git, repository: Repository, from: string | null, to: string): Promise<Buffer> {
  const child = stream(git, repository, 'diff-tree', { flags, args: [from ?? emptyTree, to] }, { config });
  child.stdin.end();
  const cutter = createCutter(diffLimits);
  let enough = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (enough || cutter.write(chunk)) return;
    enough = true;
    child.kill();
  });
  const ended = await child.done;
  if (!ended.ok && !enough) throw new GitFailed('diff-tree', ended.failure);
  return cutter.end();
}

const NEWLINE = 0x0a;
/** What may be read for each byte that is kept, before git is stopped. */
const READ_PER_KEPT = 16;

interface Cutter {
  /** False: a limit is reached, nothing more is kept. */
  write(chunk: Buffer): boolean;
  end(): Buffer;
}

/** Takes the patches of whole files while they keep within limits. */
export function createCutter(limits: DiffLimits): Cutter {
  const kept: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let file: Buffer[] = [];
  let [fileBytes, files, lines, bytes, read] = [0, 0, 0, 0, 0];
  let [inHunks, tooLarge, full, inEndlessLine] = [false, false, false, false];

  function finishFile(): void {
    const size = file.reduce((sum, line) => sum + line.length, 0);
    lines += tooLarge ? 0 : file.length;
    bytes += size;
    full ||= files > limits.files || lines > limits.lines || bytes > limits.bytes;
    if (!full) kept.push(...file);
    file = [];
  }

  function addLine(line: Buffer): void {
    // Lines of hunks begin with a blank, + - \ or @, so this can only be the next file.
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
      // A line longer than all that is kept of a file makes it too large, and need not be collected.
      if (inEndlessLine || rest.length > limits.fileBytes) {
        if (!inEndlessLine) addLine(rest);
        inEndlessLine = true;
        rest = Buffer.alloc(0);
      }
      full ||= read > limits.bytes * READ_PER_KEPT;
      return !full;
    },
    end() {
      if (!full) finishFile();
      return Buffer.concat(kept);
    },
  };
}

/** More than this is not looked through to tell changes that are alike. */
const LARGEST_PATCH = 32 * 1024 * 1024;

/** What changes that are alike have in common, wherever they are made: `git patch-id --stable`; null: nothing is changed. */
export async function patchId(
  git: Git,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<string | null> {
  const invocation = { flags: [...flags, '--full-index'], args: [from ?? emptyTree, to] };
  const patch = await run(git, repository, 'diff-tree', invocation, { limit: LARGEST_PATCH });
  if (!patch.ok) throw new GitFailed('diff-tree', patch.failure);
  if (patch.stdout.length === 0) return null;
  const named = await run(git, repository, 'patch-id', { flags: ['--stable'] }, { input: patch.stdout });
  if (!named.ok) throw new GitFailed('patch-id', named.failure);
  return /^[0-9a-f]{40}/.exec(named.stdout.toString('latin1'))?.[0] ?? null;
}
