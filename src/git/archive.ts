import { PassThrough, type Readable } from 'node:stream';
import type { Git } from './git.ts';
import type { GitFailure } from './process/failures.ts';
import { eachLine } from './process/output-records.ts';
import { type GitChild, stream } from './process/spawn.ts';
import type { Repository } from './repository.ts';

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.bz2' | 'zip';

export interface ArchiveOptions {
  /** Its time is the time of all files, so that equal requests give equal bytes. */
  commit: string;
  format: ArchiveFormat;
  /** The folder that everything lies in, without a slash at its end. */
  prefix: string;
  /** Only what lies here; taken literally. */
  path?: string | undefined;
  /** All but these; taken literally. */
  excludePaths?: readonly string[] | undefined;
  /** Files for which Git LFS pointers stand, in place of the pointers. */
  lfs?: LfsFiles | undefined;
}

/** A directory that git may write in until the archive ends. Its file `oids` has one line an object: `<oid> <its file>`. */
export interface LfsFiles {
  readonly directory: string;
}

/** What git runs for each file that `.gitattributes` gives `filter=lfs`: pointer in, file out; what is none stays. */
const smudge = `
pointer=$(mktemp "$HEARTH_LFS/XXXXXX") || exit 1
cat >"$pointer"
oid=$(head -c 200 "$pointer" | tr -d '\\000' | sed -n 's/^oid sha256:\\([0-9a-f]\\{64\\}\\)$/\\1/p')
file=$(sed -n "s/^$oid //p" "$HEARTH_LFS/oids")
if [ -n "$oid" ] && [ -f "$file" ]; then cat "$file"; else cat "$pointer"; fi
rm -f "$pointer"`;

export type Archive = { readonly content: Readable } | { readonly failure: GitFailure };

/** What one archive may hold. A tree of a few hundred bytes can have more paths than a year has seconds. */
const LARGEST = { entries: 500_000, bytes: 32 * 1024 ** 3 };

/** Why what lies at the path makes no archive; null: it does. Excluded paths count. */
async function whyNot(
  git: Git,
  repository: Repository,
  { commit, path }: ArchiveOptions,
  largest: typeof LARGEST,
): Promise<GitFailure | null> {
  const paths = path === undefined || path === '' ? {} : { paths: [path] };
  const invocation = { flags: ['-r', '-l', '--full-tree'], args: [commit], ...paths };
  let entries = 0;
  let bytes = 0;
  const fits = () => entries <= largest.entries && bytes <= largest.bytes;
  const ended = await eachLine(git, repository, 'ls-tree', invocation, {}, (line) => {
    entries += 1;
    // `100644 blob <id>     123\t<path>`; a submodule has `-`.
    bytes += Number(line.toString('latin1', 53, line.indexOf(TAB))) || 0;
    return fits();
  });
  if (!ended.ok) return ended.failure;
  return fits() ? null : { kind: 'too-large', limit: largest.bytes };
}

const TAB = 0x09;

/**
 * The files of a commit in one file, in constant memory. `content` fails when git dies in the middle; destroying it
 * stops git. A failure before the first byte is a value: `not-found`, no such path; `too-large`, more than one archive may
 * hold; `unavailable`, this machine has no program for the format (bzip2).
 */
export async function streamArchive(
  git: Git,
  repository: Repository,
  options: ArchiveOptions,
  largest = LARGEST,
): Promise<Archive> {
  const { commit, format, prefix, path, excludePaths = [], lfs } = options;
  const failure = await whyNot(git, repository, options, largest);
  if (failure !== null) return { failure };
  const paths = [
    ...(path === undefined || path === '' ? [] : [`:(top,literal)${path}`]),
    ...excludePaths.map((excluded) => `:(top,exclude,literal)${excluded}`),
  ];
  const child = stream(
    git,
    repository,
    'archive',
    { flags: [`--format=${format}`, `--prefix=${prefix}/`], args: [commit], paths },
    {
      env: { GIT_LITERAL_PATHSPECS: '0', ...(lfs === undefined ? {} : { HEARTH_LFS: lfs.directory }) },
      config: lfs === undefined ? {} : { 'filter.lfs.smudge': smudge },
    },
  );
  child.stdin.end();
  return (await begins(child)) ? { content: contentOf(child) } : { failure: await failureOf(child, format) };
}

/** Whether there is a first byte; without one the command has ended. */
async function begins(child: GitChild): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.stdout.once('readable', () => resolve(child.stdout.readableLength > 0));
  child.stdout.once('end', () => resolve(false));
  child.stdout.once('close', () => resolve(false));
  return promise;
}

async function failureOf(child: GitChild, format: ArchiveFormat): Promise<GitFailure> {
  child.stdout.resume();
  const ended = await child.done;
  const failure: GitFailure = ended.ok ? { kind: 'failed', code: ended.code, text: 'No output' } : ended.failure;
  const filterFailed = format === 'tar.bz2' && failure.kind === 'failed';
  return filterFailed ? { kind: 'unavailable', text: 'bzip2' } : failure;
}

function contentOf(child: GitChild): Readable {
  const content = new PassThrough();
  child.stdout.pipe(content, { end: false });
  child.stdout.on('error', () => undefined);
  content.on('close', () => child.kill());
  child.done.then((ended) => {
    if (ended.ok) content.end();
    else content.destroy(new Error(`The archive broke off: ${ended.failure.kind}`));
  });
  return content;
}
