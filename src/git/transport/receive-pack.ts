import { randomBytes } from 'node:crypto';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Git } from '../git.ts';
import type { GitFailure } from '../process/failures.ts';
import { type ProcessExit, readGitOutput, spawnGit } from '../process/spawn.ts';
import { pipeOutput, pipeToStdin } from '../process/stream-pipes.ts';
import { isServerRef } from '../ref-names.ts';
import { ZERO_ID } from '../refs/refs.ts';
import { syncRefs } from '../refs/sync-refs.ts';
import type { RefChange } from '../refs/update-refs.ts';
import type { Repository } from '../repository.ts';
import { getInternalDirectory } from '../storage/internal-directory.ts';
import { createHookReader, ensureHooks, getHooksDirectory, type HookMessage, InvalidHookMessage } from './hooks.ts';
import { sendKeepAlives } from './keep-alive.ts';
import { readPushHeader } from './push-header.ts';

/**
 * Environment variables (`env`) with which other git functions can read the objects of a push before it is accepted.
 */
export type Quarantine = Readonly<Record<string, string>>;

export interface PushRequest {
  /** All refs that the client wants to change, except refs that only the server makes; none has moved yet. */
  readonly changes: readonly RefChange[];
  readonly quarantine: Quarantine;
  /** `git push -o <text>`. */
  readonly pushOptions: readonly string[];
}

/** Verdict on a whole push. `refuse`: reason, of which the client shows each line after `GitLab: `. */
export type ReceiveVerdict = 'accept' | { readonly refuse: string };

export interface ReceiveOptions {
  /** The decoded body of the client's POST. */
  input: Readable;
  /** Stream for git's response. It is ended when the callback for moved refs has settled. */
  output: Writable;
  /** Called before any ref moves. An error rejects the push and is rethrown by `receivePack` when git has exited. */
  check(push: PushRequest): Promise<ReceiveVerdict>;
  /**
   * Called with the refs that have moved, once for each accepted push, even if there are none (git may reject a ref
   * that moved meanwhile). The client waits for it and shows the lines that it returns.
   */
  afterMove(moved: readonly RefChange[]): Promise<readonly string[]>;
  env?: Readonly<Record<string, string>>;
  /** Milliseconds without output after which the client gets a packet. */
  keepAliveMs?: number;
}

export interface ReceiveResult {
  readonly changes: readonly RefChange[];
  readonly movedRefs: readonly RefChange[];
  /** Null if the client changed nothing or its pack was broken; then nothing has moved. */
  readonly verdict: ReceiveVerdict | null;
  /** Failure of git, for the log; the client has been informed. */
  readonly failure: GitFailure | null;
}

/**
 * Handles a push over smart HTTP (contract/repository.md §5). Refs change only after `check` has seen all of them. The
 * repository must exist. If the client disconnects before its pack is complete, nothing changes; after that the push
 * continues.
 */
export async function receivePack(git: Git, repository: Repository, options: ReceiveOptions): Promise<ReceiveResult> {
  const hooks = getHooksDirectory(getInternalDirectory(git));
  await ensureHooks(hooks);
  const { header, body } = await readPushHeader(options.input);
  const secret = randomBytes(16).toString('hex');
  const child = spawnGit(
    git,
    repository,
    'receive-pack',
    { flags: ['--stateless-rpc'], args: [repository.directory] },
    {
      env: { ...options.env, HEARTH_PUSH: secret },
      config: { 'core.hooksPath': hooks, ...(header.hasManyRefs && SYNC_REFS_LATER) },
      pipes: 2,
    },
  );
  const [messagePipe, verdictPipe] = child.pipes as [Duplex, Duplex];
  pipeToStdin(body, child.stdin);
  const stopKeepAlives = header.hasSideBand
    ? sendKeepAlives({ stdout: child.stdout, client: options.output, input: body, intervalMs: options.keepAliveMs })
    : () => {};
  const outputSent = pipeOutput(child.stdout, options.output);
  let outcome: HookOutcome;
  try {
    outcome = await handleHooks(
      git,
      repository,
      {
        readMessage: createHookReader(messagePipe, secret),
        verdictPipe,
        exit: child.done,
        syncsRefs: !header.hasManyRefs,
      },
      options,
    );
  } catch (error) {
    // A hook that reads end of file instead of a verdict rejects the push.
    verdictPipe.destroy();
    throw error;
  } finally {
    // A hook that is still writing must not wait for a reader.
    messagePipe.destroy();
    const exit = await child.done;
    await outputSent;
    stopKeepAlives();
    options.output.end();
    if (!exit.ok) git.log('git push failed', { repository: repository.directory, failure: exit.failure });
  }
  const exit = await child.done;
  return { ...outcome, failure: exit.ok ? null : exit.failure };
}

type HookOutcome = Omit<ReceiveResult, 'failure'>;

interface HookChannel {
  readonly readMessage: () => Promise<HookMessage | null>;
  readonly verdictPipe: Writable;
  readonly exit: Promise<ProcessExit>;
  /** Whether git syncs each ref that it moves. */
  readonly syncsRefs: boolean;
}

/**
 * All components but refs, which git would sync one after the other. A component with a minus is removed from git's
 * defaults only: `all,-reference` contains refs.
 */
const SYNC_REFS_LATER = { 'core.fsync': '-reference,objects,derived-metadata,index' };

async function handleHooks(
  git: Git,
  repository: Repository,
  { readMessage, verdictPipe, exit, syncsRefs }: HookChannel,
  options: ReceiveOptions,
): Promise<HookOutcome> {
  const message = await readMessageOrRefusal(readMessage);
  if (message === null) return { changes: [], movedRefs: [], verdict: null };
  if ('refuse' in message) {
    refuse(verdictPipe, message.refuse);
    return { changes: [], movedRefs: [], verdict: message };
  }
  const { pushOptions, environment } = message;
  // git refuses changes of refs that only the server makes, whatever the verdict is.
  const changes = message.changes.filter(({ ref }) => !isServerRef(ref));
  const verdict = await options.check({ changes, pushOptions, quarantine: parseQuarantine(environment) });
  if (verdict !== 'accept') {
    refuse(verdictPipe, verdict.refuse);
    return { changes, movedRefs: [], verdict };
  }
  verdictPipe.write('accept\n');
  // Without a message from post-receive nothing has moved, even if a ref has the new id. Only if git crashed, the refs
  // show what has moved.
  const postReceiveMessage = await readMessage().catch(() => null);
  const moved = postReceiveMessage?.changes ?? ((await exit).ok ? [] : await listMovedRefs(git, repository, changes));
  if (!syncsRefs) await syncRefs(repository, moved);
  const lines = await options.afterMove(moved);
  verdictPipe.end(`accept\n${lines.map((line) => `${toPrintable(line)}\n`).join('')}`);
  return { changes, movedRefs: moved, verdict };
}

async function readMessageOrRefusal(
  readMessage: () => Promise<HookMessage | null>,
): Promise<HookMessage | { refuse: string } | null> {
  try {
    return await readMessage();
  } catch (error) {
    if (error instanceof InvalidHookMessage) return { refuse: error.message };
    throw error;
  }
}

function refuse(verdictPipe: Writable, text: string): void {
  const lines = text.split('\n').map((line) => `GitLab: ${line}\n`);
  verdictPipe.end(`refuse\n${lines.join('')}`);
}

/** Removes control characters, which would control the client's terminal. */
const toPrintable = (line: string) => line.replace(/\p{Cc}/gu, '');

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
  const output = await readGitOutput(git, repository, 'for-each-ref', { flags, args: ['refs/'] });
  const idsByRef = new Map<string, string>();
  for (const line of output.toString('utf8').split('\n')) idsByRef.set(line.slice(41), line.slice(0, 40));
  return changes.filter((change) => (idsByRef.get(change.ref) ?? ZERO_ID) === change.newId);
}
