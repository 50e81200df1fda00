import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { readGitOutput, spawnGit } from '../process/spawn.ts';
import { decodeName, HEADS } from '../ref-names.ts';
import { isValidRefName } from '../refs/refs.ts';
import type { Repository } from '../repository.ts';
import { fsck } from '../storage/maintenance.ts';
import { createRepository, repositoryExists, syncDirectory } from '../storage/storage.ts';

// Bundles: a repository as one file (`git clone x.bundle`), with its refs and a pack of all that they reach.

const FIRST_LINE = '# v2 git bundle\n';

/** Maximum size of a bundle header, which lists all refs of a repository. */
const MAX_HEADER_BYTES = 2 ** 28;

/**
 * Returns all current refs, including hidden ones, by name as lines `<oid> <refname>`, the format of bundles and
 * packed-refs. A missing repository has none.
 */
export async function listRefLines(git: Git, repository: Repository): Promise<Buffer> {
  if (!(await repositoryExists(repository))) return Buffer.alloc(0);
  const flags = ['--format=%(objectname) %(refname)'];
  return readGitOutput(git, repository, 'for-each-ref', { flags });
}

/**
 * Writes a bundle of these refs, which may be outdated, with their history and the history of the objects `extraIds`.
 * Passes the bytes to `writeBytes` in order. Throws `GitError` if an object is missing.
 */
export async function writeBundle(
  git: Git,
  repository: Repository,
  { refs, head, extraIds }: { readonly refs: Buffer; readonly head: string; readonly extraIds: readonly string[] },
  writeBytes: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  const lines = splitLines(refs);
  const tips = new Set([...lines.map((line) => line.toString('latin1', 0, 40)), ...extraIds]);
  const branchSuffix = Buffer.from(` ${HEADS}${head}`);
  const branchLine = lines.find((line) => line.subarray(40).equals(branchSuffix));
  await writeBytes(
    Buffer.from(FIRST_LINE + (branchLine === undefined ? '' : `${branchLine.toString('latin1', 0, 40)} HEAD\n`)),
  );
  await writeBytes(refs);
  await writeBytes(Buffer.from('\n'));
  const flags = ['--revs', '--stdout', '--delta-base-offset', '-q'];
  const child = spawnGit(git, repository, 'pack-objects', { flags });
  child.stdin.end([...tips].map((id) => `${id}\n`).join(''));
  try {
    for await (const bytes of child.stdout) await writeBytes(bytes as Buffer);
  } catch (error) {
    child.kill();
    await child.done;
    throw error;
  }
  const exit = await child.done;
  if (!exit.ok) throw new GitError('pack-objects', exit.failure);
}

/** Returns the lines, each of 40 hex digits, a space and a ref name. */
function splitLines(refs: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < refs.length; ) {
    const end = refs.indexOf(0x0a, start);
    lines.push(refs.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Error for data that is not a bundle, or an incomplete one. */
export class DamagedBundle extends Error {
  override readonly name = 'DamagedBundle';
}

/**
 * Creates a repository from a bundle. It becomes visible only when its refs and their objects exist and are durable.
 * Throws `DamagedBundle`, and then creates nothing.
 */
export async function createFromBundle(
  git: Git,
  repository: Repository,
  { defaultBranch }: { readonly defaultBranch: string },
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  await createRepository(repository, { defaultBranch }, async (draft) => {
    const source = bytes[Symbol.asyncIterator]();
    const { header, rest } = await readHeader(source);
    const refs = parseRefLines(header);
    await indexPack(git, draft, rest, source);
    await writePackedRefs(draft, refs);
    const fsckResult = await fsck(git, draft, 'connectivity');
    if (!fsckResult.ok) throw new DamagedBundle(`The bundle is incomplete: ${fsckResult.problems[0]}`);
  });
}

async function readHeader(source: AsyncIterator<Buffer>): Promise<{ header: Buffer; rest: Buffer }> {
  let buffer = Buffer.alloc(0);
  for (;;) {
    const { value, done } = await source.next();
    if (done) throw new DamagedBundle('The bundle ends within its list of refs');
    const searchedBytes = Math.max(0, buffer.length - 1);
    buffer = Buffer.concat([buffer, value]);
    const end = buffer.indexOf('\n\n', searchedBytes);
    if (end >= 0) return { header: buffer.subarray(0, end + 1), rest: buffer.subarray(end + 2) };
    if (buffer.length > MAX_HEADER_BYTES)
      throw new DamagedBundle('The list of refs of the bundle is too long or incomplete');
  }
}

/** Returns the ref lines except HEAD, which comes from the database. Throws unless they are valid and sorted by name. */
function parseRefLines(header: Buffer): Buffer[] {
  const firstLine = Buffer.from(FIRST_LINE);
  if (!header.subarray(0, firstLine.length).equals(firstLine)) throw new DamagedBundle('The data is not a git bundle');
  const lines = splitLines(header.subarray(firstLine.length)).filter((line) => line.toString('latin1', 41) !== 'HEAD');
  for (const [index, line] of lines.entries()) {
    const name = line.subarray(41);
    const isRef =
      /^[0-9a-f]{40} $/.test(line.toString('latin1', 0, 41)) && isValidRefName(decodeName(name).toWellFormed());
    const previousName = lines[index - 1]?.subarray(41);
    if (!isRef || (previousName !== undefined && Buffer.compare(previousName, name) >= 0))
      throw new DamagedBundle(`The bundle has an invalid ref line: ${JSON.stringify(line.toString('utf8'))}`);
  }
  return lines;
}

async function indexPack(
  git: Git,
  draft: Repository,
  firstBytes: Buffer,
  remaining: AsyncIterator<Buffer>,
): Promise<void> {
  const child = spawnGit(git, draft, 'index-pack --stdin', {});
  child.stdout.resume();
  // A process that exits early closes its input. Its exit code says more than EPIPE.
  const closed = once(child.stdin, 'close').catch(() => {});
  try {
    for (let bytes: Buffer | undefined = firstBytes; bytes !== undefined; ) {
      if (!child.stdin.destroyed && !child.stdin.write(bytes)) await Promise.race([once(child.stdin, 'drain'), closed]);
      const { value, done }: IteratorResult<Buffer> = await remaining.next();
      bytes = done ? undefined : value;
    }
  } catch (error) {
    child.kill();
    await child.done;
    throw error;
  }
  child.stdin.end();
  const exit = await child.done;
  if (!exit.ok)
    throw new DamagedBundle(`The pack of the bundle is damaged: ${new GitError('index-pack', exit.failure).message}`);
  await syncDirectory(join(draft.directory, 'objects', 'pack'));
}

/** Writes refs, lines `<oid> <refname>` in order, into a new repository. Durable when it returns. */
export async function writePackedRefs({ directory }: Repository, lines: readonly Buffer[]): Promise<void> {
  const newline = Buffer.from('\n');
  const text = [Buffer.from('# pack-refs with: sorted \n'), ...lines.flatMap((line) => [line, newline])];
  await using file = await open(join(directory, 'packed-refs'), 'wx');
  await file.writeFile(Buffer.concat(text));
  await file.sync();
  await syncDirectory(directory);
}
