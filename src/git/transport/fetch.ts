import type { Git } from '../git.ts';
import type { GitConfig } from '../process/commands.ts';
import { GitFailed, type GitFailure } from '../process/failures.ts';
import { type GitChild, output, type RunOptions, run, stream } from '../process/spawn.ts';
import { HEADS } from '../ref-names.ts';
import { validBranchName } from '../refs/refs.ts';
import type { Repository } from '../repository.ts';

/** A repository of another server. */
export interface Remote {
  /** `http://` or `https://`, without credentials: those are headers. */
  readonly url: string;
  /** Of each request, as lines: `Authorization: ...`. No other program of this machine can read them. */
  readonly headers: readonly string[];
  /** Addresses that git connects to and no others, `host:port:address` (`outbound.check`); without any it looks them up. */
  readonly resolve?: readonly string[];
}

const SYMREF = `ref: ${HEADS}`;

/** The branch that HEAD of the other repository names; null: none that is there. Throws `GitFailed`. */
export async function remoteHead(git: Git, remote: Remote): Promise<string | null> {
  const invocation = { flags: ['--symref'], args: [remote.url, 'HEAD'] };
  const answer = (await output(git, null, 'ls-remote', invocation, told(remote))).toString('utf8');
  const [symref = '', of] = answer.split('\n', 1)[0]!.split('\t');
  const named = of === 'HEAD' && symref.startsWith(SYMREF) ? symref.slice(SYMREF.length) : undefined;
  return named !== undefined && validBranchName(named) ? named : null;
}

const FETCH = [
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
 * Brings all refs of the other repository here, whatever they are called, and removes those that it has no more. All of
 * them move, or none; where a new one takes the place of one that went (`a/b` of `a`), one after another. What HEAD names
 * stays. Throws `GitFailed`.
 */
export async function fetchAll(git: Git, repository: Repository, remote: Remote): Promise<void> {
  const args = [remote.url, '+refs/*:refs/*'];
  const flags = ['--prune', ...FETCH];
  const ended = await run(git, repository, 'fetch', { flags: ['--atomic', ...flags], args }, told(remote));
  if (ended.ok) return;
  if (ended.failure.kind !== 'conflict') throw new GitFailed('fetch', ended.failure);
  await output(git, repository, 'fetch', { flags, args }, told(remote));
}

/**
 * A depth that ends nowhere: git refuses it to a server that does not speak the smart protocol, of whose objects it looks at
 * none (`SOUND`), and tells of a history that is cut off instead of leaving out what has one.
 */
const SMART_ONLY = '--depth=2147483647';

/** What a push may not bring does not come by a fetch either; harmless faults of old histories do. */
const SOUND: GitConfig = {
  'fetch.fsckObjects': 'true',
  'fetch.fsck.badTimezone': 'ignore',
  'fetch.fsck.missingSpaceBeforeDate': 'ignore',
  'fetch.fsck.zeroPaddedFilemode': 'ignore',
};

/**
 * Brings the refs that these refspecs name, whatever is here under their names, and nothing that breaks git's rules for objects: the
 * other server need not be one of ours. Ends when the signal is aborted. Throws `GitFailed`.
 */
export async function fetchForeign(
  git: Git,
  repository: Repository,
  remote: Remote,
  refspecs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { config } = told(remote);
  const invocation = { flags: [SMART_ONLY, ...FETCH], args: [remote.url, ...refspecs] };
  const child = stream(git, repository, 'fetch', invocation, { config: { ...config, ...SOUND } });
  child.stdout.resume();
  const ended = await endOf(child, signal);
  if (ended.ok || (isSilent(ended.failure) && (await hasNone(git, remote, refspecs, signal)))) return;
  throw new GitFailed('fetch', ended.failure);
}

/** Of a command that needs no input, and is stopped when the signal is aborted. */
async function endOf(child: GitChild, signal: AbortSignal): Promise<Awaited<GitChild['done']>> {
  const stop = () => child.kill();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  child.stdin.end();
  return child.done.finally(() => signal.removeEventListener('abort', stop));
}

/** What a fetch to a depth says of a server that has nothing to fetch, which is no failure without one. */
const isSilent = (failure: GitFailure) => failure.kind === 'failed' && failure.code === 1 && failure.text === '';

/** Has the other repository no ref that these refspecs name? */
async function hasNone(git: Git, remote: Remote, refspecs: readonly string[], signal: AbortSignal): Promise<boolean> {
  const refs = refspecs.map((refspec) => refspec.slice(1, refspec.indexOf(':')));
  const child = stream(git, null, 'ls-remote', { args: [remote.url, ...refs] }, told(remote));
  let any = false;
  child.stdout.on('data', () => {
    any = true;
  });
  return (await endOf(child, signal)).ok && !any;
}

function told({ headers, resolve = [] }: Remote): RunOptions {
  return { config: { 'http.extraHeader': headers, 'http.curloptResolve': resolve } };
}
