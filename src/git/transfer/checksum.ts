import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { forEachLine } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists } from '../storage/storage.ts';

/** Refs that the checksum omits, because they exist only while a job needs them (contract/operations.md §2 "Checksum"). */
const OMITTED_PREFIX = Buffer.from('refs/pipelines/');

/** The checksum of a repository without refs. */
export const EMPTY_CHECKSUM = '0'.repeat(40);

/**
 * Adds a line `<oid> <refname>` to a checksum: the XOR of the SHA-1 of all lines, which does not depend on their order. Adding a
 * line twice cancels it.
 */
function addLine(sum: Buffer, line: string | Buffer): void {
  const digest = createHash('sha1').update(line).digest();
  for (let index = 0; index < sum.length; index += 1) sum[index]! ^= digest[index]!;
}

/**
 * Returns the checksum of the current refs. Repositories with equal checksums have the same refs and HEAD at the same
 * objects; the objects are not checked. A missing repository counts as empty. Throws `GitError` if the
 * repository is broken.
 */
export async function computeRepositoryChecksum(git: Git, repository: Repository): Promise<string> {
  if (!(await repositoryExists(repository))) return EMPTY_CHECKSUM;
  const head = await readHead(repository);
  const sum = Buffer.from(EMPTY_CHECKSUM, 'hex');
  if ('line' in head) addLine(sum, head.line);
  const addRef = (line: Buffer) => {
    if (line.subarray(41, 41 + OMITTED_PREFIX.length).equals(OMITTED_PREFIX)) return;
    addLine(sum, line);
    // HEAD has the id of its branch. Both come from one pass, so that a concurrent push cannot separate them.
    if ('target' in head && line.subarray(41).equals(head.target))
      addLine(sum, `${line.toString('latin1', 0, 40)} HEAD`);
  };
  const invocation = { flags: ['--format=%(objectname) %(refname)'] };
  const exit = await forEachLine(git, repository, 'for-each-ref', invocation, {}, addRef);
  if (!exit.ok) throw new GitError('for-each-ref', exit.failure);
  return sum.toString('hex');
}

/** Returns the branch of HEAD, or the checksum line of a HEAD that names an object (external tools only). */
async function readHead({ directory }: Repository): Promise<{ readonly target: Buffer } | { readonly line: string }> {
  const text = await readFile(join(directory, 'HEAD'));
  const prefix = Buffer.from('ref: ');
  if (!text.subarray(0, prefix.length).equals(prefix)) return { line: `${text.toString('latin1').trim()} HEAD` };
  const end = text.indexOf(0x0a);
  return { target: text.subarray(prefix.length, end < 0 ? undefined : end) };
}
