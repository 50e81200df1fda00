import { randomBytes } from 'node:crypto';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Git } from '../git.ts';
import type { GitFailure } from '../process/failures.ts';
import { type Ended, output, stream } from '../process/spawn.ts';
import { drainTo, feed } from '../process/stream-pipes.ts';
import { HEADS, TAGS } from '../ref-names.ts';
import { zeroId } from '../refs/refs.ts';
import type { RefChange } from '../refs/update-refs.ts';
import type { Repository } from '../repository.ts';
import { ownDirectory } from '../storage/internal-directory.ts';
import { createHookReader, ensureHooks, type HookMessage, HookMessageInvalid, hooksDirectory } from './hooks.ts';

/** Lets other functions of this room read the objects of a push before they are part of the repository: pass it as `env`. */
export type Quarantine = Readonly<Record<string, string>>;

export interface Push {
  /** All refs that the client wants to change, none of them moved yet. */
  readonly changes: readonly RefChange[];
  readonly quarantine: Quarantine;
  /** `git push -o <text>`. */
  readonly pushOptions: readonly string[];
}

/** `refuse`: the text that the client sees after `GitLab: `, line by line. One refusal refuses the whole push. */
export type Verdict = 'accept' | { readonly refuse: string };

export interface ReceiveOptions {
  /** The body of the client's POST, decoded. */
  input: Readable;
  /** Gets git's answer and is ended when the push is over and `after` has settled. */
  output: Writable;
  /** Before any ref moves. A throw refuses the push and comes out of `receivePack` when git has ended. */
  check(push: Push): Promise<Verdict>;
  /**
   * What really moved, once for each push that `check` has accepted, also when it is nothing (git itself may refuse a
   * ref that somebody else moved meanwhile). The client waits for it.
   */
  after(moved: readonly RefChange[]): Promise<void>;
  env?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly changes: readonly RefChange[];
  readonly moved: readonly RefChange[];
  /** The verdict, or null when the client asked for no change or its pack was broken: nothing moved then. */
  readonly verdict: Verdict | null;
  /** How git ended, if badly: for the log, the client has been told. */
  readonly failure: GitFailure | null;
}

/**
 * A push over smart HTTP (repository.md §5): refs change after `check` has seen all of them, or not at all. The
 * repository must exist. A client that goes away before its pack is complete changes nothing; one that goes away
 * later does not stop its push.
 */
export async function receivePack(git: Git, repository: Repository, options: ReceiveOptions): Promise<Received> {
  const hooks = hooksDirectory(ownDirectory(git));
  await ensureHooks(hooks);
  const secret = randomBytes(16).toString('hex');
  const child = stream(
    git,
    repository,
    'receive-pack',
    { flags: ['--stateless-rpc'], args: [repository.directory] },
    { env: { ...options.env, HEARTH_PUSH: secret }, config: { 'core.hooksPath': hooks }, pipes: 2 },
  );
  const [questions, answers] = child.pipes as [Duplex, Duplex];
  feed(options.input, child.stdin);
  const answered = drainTo(child.stdout, options.output);
  let talked: Talked;
  try {
    talked = await talk(
      git,
      repository,
      { next: createHookReader(questions, secret), answers, ended: child.done },
      options,
    );
  } catch (error) {
    // End of file in place of a verdict refuses.
    answers.destroy();
    throw error;
  } finally {
    // A hook that still has something to say must not wait for a reader.
    questions.destroy();
    const ended = await child.done;
    await answered;
    options.output.end();
    if (!ended.ok) git.log('git push failed', { repository: repository.directory, failure: ended.failure });
  }
  const ended = await child.done;
  return { ...talked, failure: ended.ok ? null : ended.failure };
}

type Talked = Omit<Received, 'failure'>;

interface Conversation {
  readonly next: () => Promise<HookMessage | null>;
  readonly answers: Writable;
  readonly ended: Promise<Ended>;
}

async function talk(
  git: Git,
  repository: Repository,
  { next, answers, ended }: Conversation,
  options: ReceiveOptions,
): Promise<Talked> {
  const asked = await nextOrFailure(next);
  if (asked === null) return { changes: [], moved: [], verdict: null };
  if ('refuse' in asked) {
    refuse(answers, asked.refuse);
    return { changes: [], moved: [], verdict: asked };
  }
  const { changes, pushOptions, environment } = asked;
  const verdict = await options.check({ changes, pushOptions, quarantine: quarantineOf(environment) });
  if (verdict !== 'accept') {
    refuse(answers, verdict.refuse);
    return { changes, moved: [], verdict };
  }
  answers.write('accept\n');
  // Without a word from post-receive nothing moved: a ref that stands where this push wanted it was put there by another.
  // Unless git died on the way: then the refs say how far it came.
  const told = await next().catch(() => null);
  const moved = told?.changes ?? ((await ended).ok ? [] : await alreadyMoved(git, repository, changes));
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
    if (error instanceof HookMessageInvalid) return { refuse: error.message };
    throw error;
  }
}

function refuse(answers: Writable, text: string): void {
  const lines = text.split('\n').map((line) => `GitLab: ${line}\n`);
  answers.end(`refuse\n${lines.join('')}`);
}

function quarantineOf(environment: Readonly<Record<string, string>>): Quarantine {
  const { GIT_OBJECT_DIRECTORY, GIT_ALTERNATE_OBJECT_DIRECTORIES } = environment;
  // A push without a pack (deletions) has no quarantine.
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_OBJECT_DIRECTORY === '') return {};
  return {
    GIT_OBJECT_DIRECTORY,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: GIT_ALTERNATE_OBJECT_DIRECTORIES ?? '',
  };
}

async function alreadyMoved(
  git: Git,
  repository: Repository,
  changes: readonly RefChange[],
): Promise<readonly RefChange[]> {
  const flags = ['--format=%(objectname) %(refname)'];
  const listed = await output(git, repository, 'for-each-ref', { flags, args: [HEADS, TAGS] });
  const now = new Map<string, string>();
  for (const line of listed.toString('utf8').split('\n')) now.set(line.slice(41), line.slice(0, 40));
  return changes.filter((change) => (now.get(change.ref) ?? zeroId) === change.newId);
}
