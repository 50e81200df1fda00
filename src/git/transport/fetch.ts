import type { Git } from '../git.ts';
import type { GitConfig } from '../process/commands.ts';
import { GitError, type GitFailure } from '../process/failures.ts';
import { type GitChild, type RunOptions, readGitOutput, runGit, spawnGit } from '../process/spawn.ts';
import { HEADS } from '../ref-names.ts';
import { isValidBranchName } from '../refs/refs.ts';
import type { Repository } from '../repository.ts';

/** A repository on another server. */
export interface GitRemote {
  /** `http://` or `https://`, without credentials, which are in the headers. */
  readonly url: string;
  /** Header lines of each request: `Authorization: ...`. They are not visible to other processes. */
  readonly headers: readonly string[];
  /**
   * The only addresses that git may connect to, as `host:port:address` (`outbound.check`). If empty, git resolves the
   * host.
   */
  readonly resolve?: readonly string[];
}

const SYMREF = `ref: ${HEADS}`;

/** Returns the branch that HEAD of the remote names; null if it does not exist. Throws `GitError`. */
export async function findRemoteHead(git: Git, remote: GitRemote): Promise<string | null> {
  const invocation = { flags: ['--symref'], args: [remote.url, 'HEAD'] };
  const answer = (await readGitOutput(git, null, 'ls-remote', invocation, remoteOptions(remote))).toString('utf8');
  const [symref = '', of] = answer.split('\n', 1)[0]!.split('\t');
  const named = of === 'HEAD' && symref.startsWith(SYMREF) ? symref.slice(SYMREF.length) : undefined;
  return named !== undefined && isValidBranchName(named) ? named : null;
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
 * conflicts with a deleted one (`a/b` and `a`). HEAD is not changed. Throws `GitError`.
 */
export async function fetchAllRefs(git: Git, repository: Repository, remote: GitRemote): Promise<void> {
  const args = [remote.url, '+refs/*:refs/*'];
  const flags = ['--prune', ...FETCH_FLAGS];
  const ended = await runGit(git, repository, 'fetch', { flags: ['--atomic', ...flags], args }, remoteOptions(remote));
  if (ended.ok) return;
  if (ended.failure.kind !== 'conflict') throw new GitError('fetch', ended.failure);
  await readGitOutput(git, repository, 'fetch', { flags, args }, remoteOptions(remote));
}

/**
 * An unlimited depth. git then rejects servers without the smart protocol, whose objects it would not check
 * (`FSCK_CONFIG`), and reports shallow histories instead of omitting refs.
 */
const SMART_ONLY = '--depth=2147483647';

/** Rejects the same objects as a push; tolerates harmless faults of old histories. */
const FSCK_CONFIG: GitConfig = {
  'fetch.fsckObjects': 'true',
  'fetch.fsck.badTimezone': 'ignore',
  'fetch.fsck.missingSpaceBeforeDate': 'ignore',
  'fetch.fsck.zeroPaddedFilemode': 'ignore',
};

/**
 * Fetches refs by refspecs from an untrusted server, overwriting local ones. Rejects objects that violate git's rules.
 * `signal` aborts it. Throws `GitError`.
 */
export async function fetchUntrusted(
  git: Git,
  repository: Repository,
  remote: GitRemote,
  refspecs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { config } = remoteOptions(remote);
  const invocation = { flags: [SMART_ONLY, ...FETCH_FLAGS], args: [remote.url, ...refspecs] };
  const child = spawnGit(git, repository, 'fetch', invocation, { config: { ...config, ...FSCK_CONFIG } });
  child.stdout.resume();
  const ended = await awaitExit(child, signal);
  if (ended.ok || (isEmptyFetch(ended.failure) && (await hasNoMatchingRefs(git, remote, refspecs, signal)))) return;
  throw new GitError('fetch', ended.failure);
}

/** Awaits the exit of a command without input. `signal` kills it. */
async function awaitExit(child: GitChild, signal: AbortSignal): Promise<Awaited<GitChild['done']>> {
  const stop = () => child.kill();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  child.stdin.end();
  return child.done.finally(() => signal.removeEventListener('abort', stop));
}

/** A fetch with a depth fails like this if the server has nothing to fetch. */
const isEmptyFetch = (failure: GitFailure) => failure.kind === 'failed' && failure.code === 1 && failure.text === '';

/** Returns whether the remote has no ref that these refspecs name. */
async function hasNoMatchingRefs(
  git: Git,
  remote: GitRemote,
  refspecs: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const refs = refspecs.map((refspec) => refspec.slice(1, refspec.indexOf(':')));
  const child = spawnGit(git, null, 'ls-remote', { args: [remote.url, ...refs] }, remoteOptions(remote));
  let any = false;
  child.stdout.on('data', () => {
    any = true;
  });
  return (await awaitExit(child, signal)).ok && !any;
}

function remoteOptions({ headers, resolve = [] }: GitRemote): RunOptions {
  return { config: { 'http.extraHeader': headers, 'http.curloptResolve': resolve } };
}
