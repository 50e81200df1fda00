import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { type RunOptions, readGitOutput, runGit } from '../process/spawn.ts';
import { HEADS } from '../ref-names.ts';
import { isValidBranchName } from '../refs/refs.ts';
import { removeTemporaryPackFiles } from '../refs/stale-locks.ts';
import type { Repository } from '../repository.ts';

/** A repository on another server. */
export interface GitRemote {
  /** `http://` or `https://`, without credentials, which are in the headers. */
  readonly url: string;
  /** Header lines of each request: `Authorization: ...`. They are not visible to other processes. */
  readonly headers: readonly string[];
}

const SYMREF_PREFIX = `ref: ${HEADS}`;

/** Returns the branch that HEAD of the remote names; null if it does not exist. Throws `GitError`. */
export async function findRemoteHead(git: Git, remote: GitRemote): Promise<string | null> {
  const invocation = { flags: ['--symref'], args: [remote.url, 'HEAD'] };
  const output = (await readGitOutput(git, null, 'ls-remote', invocation, toRemoteOptions(remote))).toString('utf8');
  const [symref = '', ref] = output.split('\n', 1)[0]!.split('\t');
  const branch = ref === 'HEAD' && symref.startsWith(SYMREF_PREFIX) ? symref.slice(SYMREF_PREFIX.length) : undefined;
  return branch !== undefined && isValidBranchName(branch) ? branch : null;
}

const FETCH_FLAGS = [
  '--force',
  '--no-tags',
  '--update-head-ok',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--no-progress',
  '--quiet',
];

/**
 * Fetches all refs of the remote and deletes refs that it does not have. All refs move or none, unless a new ref
 * conflicts with a deleted one (`a/b` and `a`). HEAD is not changed. The caller ensures that nothing else writes packs into the
 * repository: a failed fetch removes its temporary files. Throws `GitError`.
 */
export async function fetchAllRefs(git: Git, repository: Repository, remote: GitRemote): Promise<void> {
  try {
    await fetchRefs(git, repository, remote);
  } catch (error) {
    await removeTemporaryPackFiles(repository);
    throw error;
  }
}

async function fetchRefs(git: Git, repository: Repository, remote: GitRemote): Promise<void> {
  const args = [remote.url, '+refs/*:refs/*'];
  const flags = ['--prune', ...FETCH_FLAGS];
  const result = await runGit(
    git,
    repository,
    'fetch',
    { flags: ['--atomic', ...flags], args },
    toRemoteOptions(remote),
  );
  if (result.ok) return;
  // An atomic fetch cannot replace `a/b` by `a`: without `--atomic`, git deletes first.
  if (result.failure.kind !== 'conflict') throw new GitError('fetch', result.failure);
  await readGitOutput(git, repository, 'fetch', { flags, args }, toRemoteOptions(remote));
}

function toRemoteOptions({ headers }: GitRemote): RunOptions {
  return { config: { 'http.extraHeader': headers } };
}
