import type { Readable } from 'node:stream';
import type { Git } from './git.ts';
import type { GitFailure } from './process/failures.ts';
import { forEachLine } from './process/output-records.ts';
import { spawnGit } from './process/spawn.ts';
import { streamOutput } from './process/stream-pipes.ts';
import type { Repository } from './repository.ts';

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip';

export interface ArchiveOptions {
  /** All files get the time of this commit, so that equal requests give equal bytes. */
  commit: string;
  format: ArchiveFormat;
  /** Folder that contains all files, without a trailing slash. */
  prefix: string;
  /** Includes only this path; taken literally. */
  path?: string | undefined;
  /** Paths to exclude; taken literally. */
  excludePaths?: readonly string[];
  /** Files that replace their Git LFS pointers. */
  lfs?: LfsFiles | undefined;
}

/** Directory that git may write to until the archive ends. Its file `oids` has one line per object: `<oid> <file>`. */
export interface LfsFiles {
  readonly directory: string;
}

/**
 * Script that git runs for each file with `filter=lfs`: pointer in, file out. Content that is not a pointer is not
 * changed. A pointer has at most 200 bytes; NUL bytes are removed because a shell variable cannot hold them.
 */
const SMUDGE_SCRIPT = `
pointer=$(mktemp "$HEARTH_LFS/XXXXXX") || exit 1
cat >"$pointer"
oid=$(head -c 200 "$pointer" | tr -d '\\000' | sed -n 's/^oid sha256:\\([0-9a-f]\\{64\\}\\)$/\\1/p')
file=$(sed -n "s/^$oid //p" "$HEARTH_LFS/oids")
if [ -n "$oid" ] && [ -f "$file" ]; then cat "$file"; else cat "$pointer"; fi
rm -f "$pointer"`;

/** `expectedBytes`: the size without compression, roughly. */
export type StartedArchive =
  | { readonly content: Readable; readonly expectedBytes: number }
  | { readonly failure: GitFailure };

/** Limits of one archive. A tree of a few hundred bytes can expand to billions of paths. */
const MAX_ARCHIVE = { entries: 500_000, bytes: 32 * 1024 ** 3 };

/** Maximum bytes of a path. No file system holds a longer one, and git overflows its stack in very deep folders. */
const MAX_PATH = 4096;

/** Bytes of the headers of a file in an archive, with padding. */
const BYTES_PER_ENTRY = 2048;

/** Returns the size of the files with their headers, or why the path cannot be archived. Excluded paths count too. */
async function measureFiles(
  git: Git,
  repository: Repository,
  { commit, path }: ArchiveOptions,
  limits: typeof MAX_ARCHIVE,
): Promise<number | GitFailure> {
  const paths = path === undefined || path === '' ? [] : [path];
  const invocation = { flags: ['-r', '-l', '--full-tree'], args: [commit], paths };
  let entries = 0;
  let bytes = 0;
  let longestPath = 0;
  const isWithinLimits = () => entries <= limits.entries && bytes <= limits.bytes && longestPath <= MAX_PATH;
  const exit = await forEachLine(git, repository, 'ls-tree', invocation, {}, (line) => {
    entries += 1;
    // `100644 blob <id>     123\t<path>`; a submodule has `-`.
    const tab = line.indexOf(TAB);
    bytes += Number(line.toString('latin1', 53, tab)) || 0;
    longestPath = Math.max(longestPath, line.length - tab - 1);
    return isWithinLimits();
  });
  if (!exit.ok) return exit.failure;
  return isWithinLimits() ? bytes + entries * BYTES_PER_ENTRY : { kind: 'too-large', limit: limits.bytes };
}

const TAB = 0x09;

/**
 * Streams the files of a commit as one archive, in constant memory. `content` fails when git dies; destroying it stops
 * git. A failure before the first byte is returned: `not-found` (no such path), `too-large` (over the limits) or
 * `unavailable` (the machine has no bzip2).
 */
export async function streamArchive(
  git: Git,
  repository: Repository,
  options: ArchiveOptions,
  limits = MAX_ARCHIVE,
): Promise<StartedArchive> {
  const { commit, format, prefix, path, excludePaths = [], lfs } = options;
  const expectedBytes = await measureFiles(git, repository, options, limits);
  if (typeof expectedBytes !== 'number') return { failure: expectedBytes };
  const paths = [
    ...(path === undefined || path === '' ? [] : [`:(top,literal)${path}`]),
    ...excludePaths.map((excluded) => `:(top,exclude,literal)${excluded}`),
  ];
  const child = spawnGit(
    git,
    repository,
    'archive',
    { flags: [`--format=${format}`, `--prefix=${prefix}/`], args: [commit], paths },
    {
      // The paths above need git's pathspec syntax; `literal` still takes each of them literally.
      env: { GIT_LITERAL_PATHSPECS: '0', ...(lfs === undefined ? {} : { HEARTH_LFS: lfs.directory }) },
      config: lfs === undefined ? {} : { 'filter.lfs.smudge': SMUDGE_SCRIPT },
    },
  );
  child.stdin.end();
  const output = await streamOutput(child);
  return 'content' in output ? { ...output, expectedBytes } : { failure: toFailure(output.failure, format) };
}

/** Maps a failed compression: only `tar.bz2` runs a separate program, which the machine may lack. */
function toFailure(failure: GitFailure, format: ArchiveFormat): GitFailure {
  const isCompressorMissing = format === 'tar.bz2' && failure.kind === 'failed';
  return isCompressorMissing ? { kind: 'unavailable', text: 'bzip2' } : failure;
}
