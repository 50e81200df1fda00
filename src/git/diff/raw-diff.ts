import type { Git } from '../git.ts';
import { EMPTY_TREE_ID } from '../objects/object-reader.ts';
import { GitError } from '../process/failures.ts';
import { type GitChild, runGit, spawnGit } from '../process/spawn.ts';
import { type OutputStream, streamOutput } from '../process/stream-output.ts';
import type { Repository } from '../repository.ts';

/** Diffs in git's own text format. */

const TEXT_FLAGS = ['--find-renames', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'];

/** Quotes names as `git diff` does by default. */
const PATCH_CONFIG = { 'core.quotePath': 'true' };

/** Streams the output of `git diff --binary <from> <to>`, whole. `from` null compares with an empty tree. */
export function streamRawDiff(
  git: Git,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<OutputStream> {
  const invocation = { flags: ['--binary', ...TEXT_FLAGS], args: [from ?? EMPTY_TREE_ID, to] };
  return stream(spawnGit(git, repository, 'diff', invocation, { config: PATCH_CONFIG }));
}

/**
 * Streams the commits of `to` that `from` lacks as mails, oldest first, for `git am`; merge commits are left out. `from` null means
 * all commits.
 */
export function streamPatchMails(
  git: Git,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<OutputStream> {
  const range = from === null ? { flags: ['--root'], args: [to] } : { flags: [], args: [`${from}..${to}`] };
  const flags = ['--stdout', '--no-signature', ...TEXT_FLAGS, ...range.flags];
  return stream(spawnGit(git, repository, 'format-patch', { ...range, flags }, { config: PATCH_CONFIG }));
}

function stream(child: GitChild): Promise<OutputStream> {
  child.stdin.end();
  return streamOutput(child);
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
  const invocation = { flags: ['-r', '--patch', '--full-index', ...TEXT_FLAGS], args: [from ?? EMPTY_TREE_ID, to] };
  const patch = await runGit(git, repository, 'diff-tree', invocation, { maxOutputBytes: MAX_PATCH });
  if (!patch.ok) throw new GitError('diff-tree', patch.failure);
  if (patch.stdout.length === 0) return null;
  const patchId = await runGit(git, repository, 'patch-id', { flags: ['--stable'] }, { input: patch.stdout });
  if (!patchId.ok) throw new GitError('patch-id', patchId.failure);
  return /^[0-9a-f]{40}/.exec(patchId.stdout.toString('latin1'))?.[0] ?? null;
}
