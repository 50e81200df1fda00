import { type Client, queue } from '#runtime/concurrency-limiter.ts';
import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { CommandName } from './commands.ts';
import { GitFailed, isOverLimit } from './failures.ts';
import { type GitChild, type Invocation, stream } from './spawn.ts';

/** A long-lived process that is asked through its input and answers through its output. */
export interface Speaker {
  readonly child: GitChild;
  /** Sends text to it. */
  say(text: string): void;
  /** Its next line, without the newline. Throws `GitFailed` when the process has ended. */
  line(): Promise<Buffer>;
  /** Its next `size` bytes. */
  bytes(size: number): Promise<Buffer>;
  /** Throws away its next `size` bytes, without holding them. */
  skip(size: number): Promise<void>;
  /** Nothing unread has arrived. */
  quiet(): boolean;
}

/**
 * Long-lived processes of one command, each for one repository, used by one caller at a time. At most `limit` live;
 * the one unused for longest makes place, and one that nobody uses for a while is ended. Callers beyond the limit wait;
 * beyond a long line they fail with `QueueFull`.
 */
export interface Pool {
  /**
   * Lends a process to `work`. If `work` throws, or leaves answers unread, the process is killed and never lent again.
   * A process that died while it was idle is replaced by a new one, once. One that takes too long is stopped.
   * A `client` that goes away waits for none any more.
   */
  lend<Result>(
    repository: Repository,
    work: (speaker: Speaker) => Promise<Result>,
    client?: Client | null,
  ): Promise<Result>;
  /** Starts a process for a repository that has none, if there is a place: whoever wants it soon need not wait for that. */
  prepare(repository: Repository): void;
}

interface Member {
  readonly speaker: Speaker;
  readonly directory: string;
  used: boolean;
  ended: boolean;
  idle: NodeJS.Timeout | undefined;
}

/** Those who wait for a process at most: one request may ask a thousand things at once. */
const LINE = { waiting: 5_000, retryAfter: 5 };

interface PoolLimits {
  /** Processes that live at the same time. */
  readonly processes: number;
  /** Seconds that one caller may keep a process. */
  readonly seconds: number;
}

export function createPool(git: Git, command: CommandName, invocation: Invocation, limits: PoolLimits): Pool {
  /** In the order of their last use. */
  const idle = new Set<Member>();
  /** Each for the repository in a directory; null: there is a place for a process of it. */
  const waiting = queue<Member | null>(LINE);
  let living = 0;

  function discard(member: Member): void {
    if (member.ended) return;
    member.ended = true;
    clearTimeout(member.idle);
    idle.delete(member);
    living -= 1;
    member.speaker.child.kill();
    waiting.first()?.go(null);
  }

  function begin(directory: string): Member {
    const child = started(directory);
    const member: Member = { speaker: speakTo(child), directory, used: false, ended: false, idle: undefined };
    living += 1;
    child.done.then(() => discard(member));
    return member;
  }

  /** Where none can be started (git has been closed), whoever waits for one hears it too: nobody else would wake them. */
  function started(directory: string): GitChild {
    try {
      return stream(git, { directory }, command, invocation, { kept: true });
    } catch (error) {
      waiting.first()?.go(null);
      throw error;
    }
  }

  async function acquire(directory: string, fresh: boolean, client: Client | null): Promise<Member> {
    for (;;) {
      const found = fresh ? undefined : idle.values().find((member) => member.directory === directory);
      if (found !== undefined) {
        clearTimeout(found.idle);
        idle.delete(found);
        return found;
      }
      if (living < limits.processes) return begin(directory);
      const [oldest] = idle;
      if (oldest !== undefined) discard(oldest);
      else {
        const given = await waiting.wait(directory, { client });
        if (given !== null) return given;
      }
    }
  }

  function release(member: Member): void {
    if (member.ended) return;
    member.used = true;
    const next = waiting.first();
    if (git.processes.closed || !member.speaker.quiet()) discard(member);
    else if (next?.about === member.directory) next.go(member);
    else if (next !== undefined) discard(member);
    else rest(member);
  }

  function rest(member: Member): void {
    member.idle = setTimeout(() => discard(member), git.limits.idle);
    member.idle.unref();
    idle.add(member);
  }

  function prepare({ directory }: Repository): void {
    const isThere = idle.values().some((member) => member.directory === directory);
    if (!isThere && living < limits.processes && !git.processes.closed) rest(begin(directory));
  }

  async function lend<Result>(
    repository: Repository,
    work: (speaker: Speaker) => Promise<Result>,
    client: Client | null,
    fresh = false,
  ): Promise<Result> {
    const member = await acquire(repository.directory, fresh, client);
    const overdue = setTimeout(() => member.speaker.child.kill({ kind: 'timed-out' }), limits.seconds * 1000);
    try {
      const result = await work(member.speaker);
      release(member);
      return result;
    } catch (error) {
      const diedIdle = member.used && member.ended && !git.processes.closed && !isOverLimit(error);
      discard(member);
      if (diedIdle && error instanceof GitFailed && !fresh) return lend(repository, work, client, true);
      throw error;
    } finally {
      clearTimeout(overdue);
    }
  }

  git.closing.add(() => {
    for (const member of [...idle]) discard(member);
  });
  git.leaving.add((repository) => {
    for (const member of [...idle]) if (member.directory === repository.directory) discard(member);
  });
  return { lend: (repository, work, client = null) => lend(repository, work, client), prepare };
}

function speakTo(child: GitChild): Speaker {
  let pending: Buffer = Buffer.alloc(0);
  let arrived: Buffer[] = [];
  let ended = false;
  let wake: () => void = () => undefined;

  child.stdout.on('data', (chunk: Buffer) => {
    arrived.push(chunk);
    wake();
  });
  for (const event of ['end', 'close', 'error'] as const) {
    child.stdout.on(event, () => {
      ended = true;
      wake();
    });
  }

  async function more(): Promise<Buffer[]> {
    while (arrived.length === 0) {
      if (ended) return fail(child);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const chunks = arrived;
    arrived = [];
    return chunks;
  }

  async function line(): Promise<Buffer> {
    let searched = 0;
    for (;;) {
      const end = pending.indexOf(0x0a, searched);
      if (end >= 0) {
        const found = pending.subarray(0, end);
        pending = pending.subarray(end + 1);
        return found;
      }
      searched = pending.length;
      pending = Buffer.concat([pending, ...(await more())]);
    }
  }

  async function bytes(size: number): Promise<Buffer> {
    const chunks = [pending];
    let length = pending.length;
    while (length < size) {
      for (const chunk of await more()) {
        chunks.push(chunk);
        length += chunk.length;
      }
    }
    const all = chunks.length === 1 ? pending : Buffer.concat(chunks);
    pending = all.subarray(size);
    return all.subarray(0, size);
  }

  async function skip(size: number): Promise<void> {
    let left = size;
    while (left > pending.length) {
      left -= pending.length;
      pending = Buffer.concat(await more());
    }
    pending = pending.subarray(left);
  }

  return {
    child,
    line,
    bytes,
    skip,
    say: (text) => void child.stdin.write(text),
    quiet: () => pending.length === 0 && arrived.length === 0,
  };
}

async function fail(child: GitChild): Promise<never> {
  const ended = await child.done;
  throw new GitFailed(child.command, ended.ok ? { kind: 'stopped' } : ended.failure);
}
