import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { eachLine } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists } from '../storage/storage.ts';

/** What the checksum of a repository is about, besides HEAD (contract/operations.md §2, "Checksum"). */
const COUNTED = ['heads', 'tags', 'merge-requests', 'notes', 'keep-around', 'environments'].map(
  (name) => `refs/${name}/`,
);

/** The checksum of a repository without refs. */
export const EMPTY_CHECKSUM = '0'.repeat(40);

/**
 * The checksum of lines `<oid> <refname>`, in any order: the XOR of their SHA-1, so that a line that is added twice is as if
 * it were not there, and one that changes is added before and after. 40 hex digits.
 */
export function checksumOf(lines: Iterable<string | Buffer>): string {
  const sum = nothing();
  for (const line of lines) add(sum, line);
  return sum.toString('hex');
}

const nothing = () => Buffer.from(EMPTY_CHECKSUM, 'hex');

function add(sum: Buffer, line: string | Buffer): void {
  const digest = createHash('sha1').update(line).digest();
  for (let at = 0; at < sum.length; at += 1) sum[at]! ^= digest[at]!;
}

/**
 * The checksum of the refs that the repository has at this moment: two repositories with the same one have the same branches,
 * tags and HEAD at the same objects, whatever of these objects is there. An absent repository has none, as an empty one.
 * Throws `GitFailed` where the repository is broken.
 */
export async function checksumOfRepository(git: Git, repository: Repository): Promise<string> {
  if (!(await repositoryExists(repository))) return EMPTY_CHECKSUM;
  const head = await headLine(repository);
  const sum = nothing();
  if ('line' in head) add(sum, head.line);
  const take = (line: Buffer) => {
    add(sum, line);
    // HEAD is where its branch is: read in the same look, so that a push between two looks cannot part them.
    if ('target' in head && line.subarray(41).equals(head.target)) add(sum, `${line.toString('latin1', 0, 40)} HEAD`);
  };
  const invocation = { flags: ['--format=%(objectname) %(refname)'], args: COUNTED };
  const ended = await eachLine(git, repository, 'for-each-ref', invocation, {}, take);
  if (!ended.ok) throw new GitFailed('for-each-ref', ended.failure);
  return sum.toString('hex');
}

/** HEAD names a branch, which need not exist; only what others have put in place can name an object. */
async function headLine({ directory }: Repository): Promise<{ readonly target: Buffer } | { readonly line: string }> {
  const text = await readFile(join(directory, 'HEAD'));
  const prefix = Buffer.from('ref: ');
  if (!text.subarray(0, prefix.length).equals(prefix)) return { line: `${text.toString('latin1').trim()} HEAD` };
  const end = text.indexOf(0x0a);
  return { target: text.subarray(prefix.length, end < 0 ? undefined : end) };
}
