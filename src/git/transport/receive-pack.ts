import { randomBytes } from 'node:crypto';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Git } from '../git.ts';
import type { GitFailure } from '../process/failures.ts';
import { type ProcessExit, readGitOutput, spawnGit } from '../process/spawn.ts';
import { pipeOutput, pipeToStdin } from '../process/stream-pipes.ts';
import { HEADS, TAGS } from '../ref-names.ts';
import { ZERO_ID } from '../refs/refs.ts';
import type { RefChange } from '../refs/update-refs.ts';
import type { Repository } from '../repository.ts';
import { getInternalDirectory } from '../storage/internal-directory.ts';
import { createHookReader, ensureHooks, getHooksDirectory, type HookMessage, InvalidHookMessage } from './hooks.ts';

/**
 * Environment variables that let other git functions read the objects of a push before they are accepted: pass it as
 * `env`.
 */
export type Quarantine = Readonly<Record<string, string>>;

export interface PushRequest {
  /** All refs that the client wants to change; none has moved yet. */
  readonly changes: readonly RefChange[];
  readonly quarantine: Quarantine;
  /** `git push -o <text>`. */
  readonly pushOptions: readonly string[];
}

/** `refuse`: the text that the client shows after `GitLab: `, line by line. Rejects the whole push. */
export type ReceiveVerdict = 'accept' | { readonly refuse: string };

export interface ReceiveOptions {
  /** The decoded body of the client's POST. */
  input: Readable;
  /** Receives git's response. Ended after the push, when `after` has settled. */
  output: Writable;
  /** Called before any ref moves. An error rejects the push and is rethrown by `receivePack` when git has exited. */
  check(push: PushRequest): Promise<ReceiveVerdict>;
  /**
   * Called with the refs that have moved, once for each accepted push, even if there are none (git may reject a ref
   * that moved meanwhile). The client waits for it.
   */
  after(moved: readonly RefChange[]): Promise<void>;
  env?: Readonly<Record<string, string>>;
}

export interface ReceiveResult {
  readonly changes: readonly RefChange[];
  readonly moved: readonly RefChange[];
  /** Null if the client changed nothing or its pack was broken; then nothing has moved. */
  readonly verdict: ReceiveVerdict | null;
  /** Failure of git, for the log; the client has been informed. */
  readonly failure: GitFailure | null;
}

/**
 * Handles a push over smart HTTP (contract/repository.md §5). Refs change only after `check` has seen all of them. The
 * repository must exist. A client that disconnects before its pack is complete changes nothing; later its push
 * continues.
 */
export async function receivePack(git: Git, repository: Repository, options: ReceiveOptions): Promise<ReceiveResult> {
  const hooks = getHooksDirectory(getInternalDirectory(git));
  await ensureHooks(hooks);
  const secret = randomBytes(16).toString('hex');
  const child = spawnGit(
    git,
    repository,
    'receive-pack',
    { flags: ['--stateless-rpc'], args: [repository.directory] },
    { env: { ...options.env, HEARTH_PUSH: secret }, config: { 'core.hooksPath': hooks }, pipes: 2 },
  );
  const [questions, answers] = child.pipes as [Duplex, Duplex];
  pipeToStdin(options.input, child.stdin);
  const answered = pipeOutput(child.stdout, options.output);
  let outcome: HookOutcome;
  try {
    outcome = await handleHooks(
      git,
      repository,
      { next: createHookReader(questions, secret), answers, ended: child.done },
      options,
    );
  } catch (error) {
    // End of file instead of a verdict rejects.
    answers.destroy();
    throw error;
  } finally {
    // A hook that is still writing must not wait for a reader.
    questions.destroy();
    const ended = await child.done;
    await answered;
    options.output.end();
    if (!ended.ok) git.log('git push failed', { repository: repository.directory, failure: ended.failure });
  }
  const ended = await child.done;
  return { ...outcome, failure: ended.ok ? null : ended.failure };
}

type HookOutcome = Omit<ReceiveResult, 'failure'>;

interface HookChannel {
  readonly next: () => Promise<HookMessage | null>;
  readonly answers: Writable;
  readonly ended: Promise<ProcessExit>;
}

async function handleHooks(
  git: Git,
  repository: Repository,
  { next, answers, ended }: HookChannel,
  options: ReceiveOptions,
): Promise<HookOutcome> {
  const received = await nextOrFailure(next);
  if (received === null) return { changes: [], moved: [], verdict: null };
  if ('refuse' in received) {
    refuse(answers, received.refuse);
    return { changes: [], moved: [], verdict: received };
  }
  const { changes, pushOptions, environment } = received;
  const verdict = await options.check({ changes, pushOptions, quarantine: parseQuarantine(environment) });
  if (verdict !== 'accept') {
    refuse(answers, verdict.refuse);
    return { changes, moved: [], verdict };
  }
  answers.write('accept\n');
  // Without a message from post-receive nothing has moved, even if a ref has the new id. Only if git crashed, the refs
  // show what has moved.
  const report = await next().catch(() => null);
  const moved = report?.changes ?? ((await ended).ok ? [] : await listMovedRefs(git, repository, changes));
  await options.after(moved);
  answers.end('accept\n');
  return { changes, moved, verdict };
}

async function nextOrFailure(
  next: () => Promise<HookMessage | null>,
): Promise<HookMessage | { refuse: string } | null> {
  try {
    return await next();
  } catch (error) {
    if (error instanceof InvalidHookMessage) return { refuse: error.message };
    throw error;
  }
}

function refuse(answers: Writable, text: string): void {
  const lines = text.split('\n').map((line) => `GitLab: ${line}\n`);
  answers.end(`refuse\n${lines.join('')}`);
}

function parseQuarantine(environment: Readonly<Record<string, string>>): Quarantine {
  const { GIT_OBJECT_DIRECTORY, GIT_ALTERNATE_OBJECT_DIRECTORIES } = environment;
  // A push without a pack (only deletions) has no quarantine.
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_OBJECT_DIRECTORY === '') return {};
  return {
    GIT_OBJECT_DIRECTORY,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: GIT_ALTERNATE_OBJECT_DIRECTORIES ?? '',
  };
}

async function listMovedRefs(
  git: Git,
  repository: Repository,
  changes: readonly RefChange[],
): Promise<readonly RefChange[]> {
  const flags = ['--format=%(objectname) %(refname)'];
  const listed = await readGitOutput(git, repository, 'for-each-ref', { flags, args: [HEADS, TAGS] });
  const now = new Map<string, string>();
  for (const line of listed.toString('utf8').split('\n')) now.set(line.slice(41), line.slice(0, 40));
  return changes.filter((change) => (now.get(change.ref) ?? ZERO_ID) === change.newId);
}
