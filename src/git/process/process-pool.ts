import { createWaitQueue, type RequestClient } from '#runtime/concurrency-limiter.ts';
import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { CommandName } from './commands.ts';
import { GitError, isOverLimit } from './failures.ts';
import { type GitChild, type Invocation, spawnGit } from './spawn.ts';

/** A long-lived process that reads requests and writes responses. */
export interface PooledProcess {
  readonly child: GitChild;
  /** Writes text to its input. */
  send(text: string): void;
  /** Returns the next line without its line feed. Throws `GitError` if the process has exited. */
  readLine(): Promise<Buffer>;
  /** Returns the next `size` bytes. */
  readBytes(size: number): Promise<Buffer>;
  /** Discards the next `size` bytes without holding them. */
  skip(size: number): Promise<void>;
  /** Returns whether all received output has been read. */
  isDrained(): boolean;
}

/**
 * Long-lived processes of one command, each for one repository and used by one caller at a time. A full pool stops the
 * least recently used one; idle ones are stopped after a while. Callers beyond the limit wait; a full queue throws
 * `QueueFull`.
 */
export interface ProcessPool {
  /**
   * Runs `work` with a process. If `work` throws or leaves output unread, the process is killed. A process that died
   * while idle is replaced once. One that takes too long is stopped. A disconnected `client` stops waiting.
   */
  use<Result>(
    repository: Repository,
    work: (speaker: PooledProcess) => Promise<Result>,
    client?: RequestClient | null,
  ): Promise<Result>;
  /** Starts a process for a repository that has none, if the limit allows it, so that the next caller need not wait. */
  prestart(repository: Repository): void;
}

interface Member {
  readonly speaker: PooledProcess;
  readonly directory: string;
  used: boolean;
  ended: boolean;
  idle: NodeJS.Timeout | undefined;
}

/** Maximum waiting callers: one request can send a thousand queries at once. */
const WAIT_LIMIT = { maxWaiting: 5_000, retryAfter: 5 };

interface PoolLimits {
  /** Maximum number of processes. */
  readonly processes: number;
  /** Seconds that one caller may use a process. */
  readonly seconds: number;
}

export function createProcessPool(
  git: Git,
  command: CommandName,
  invocation: Invocation,
  limits: PoolLimits,
): ProcessPool {
  /** Ordered by last use. */
  const idle = new Set<Member>();
  /** Waiters by repository directory; null means that a new process may be started. */
  const waiting = createWaitQueue<Member | null>(WAIT_LIMIT);
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
    const member: Member = {
      speaker: createPooledProcess(child),
      directory,
      used: false,
      ended: false,
      idle: undefined,
    };
    living += 1;
    child.done.then(() => discard(member));
    return member;
  }

  /** If starting fails (git is closed), the next waiter must fail too: nobody else would wake it. */
  function started(directory: string): GitChild {
    try {
      return spawnGit(git, { directory }, command, invocation, { longLived: true });
    } catch (error) {
      waiting.first()?.go(null);
      throw error;
    }
  }

  async function acquire(directory: string, fresh: boolean, client: RequestClient | null): Promise<Member> {
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
        const released = await waiting.wait(directory, { client });
        if (released !== null) return released;
      }
    }
  }

  function release(member: Member): void {
    if (member.ended) return;
    member.used = true;
    const next = waiting.first();
    if (git.processes.closed || !member.speaker.isDrained()) discard(member);
    else if (next?.about === member.directory) next.go(member);
    else if (next !== undefined) discard(member);
    else rest(member);
  }

  function rest(member: Member): void {
    member.idle = setTimeout(() => discard(member), git.limits.idle);
    member.idle.unref();
    idle.add(member);
  }

  function prestart({ directory }: Repository): void {
    const isThere = idle.values().some((member) => member.directory === directory);
    if (!isThere && living < limits.processes && !git.processes.closed) rest(begin(directory));
  }

  async function useProcess<Result>(
    repository: Repository,
    work: (speaker: PooledProcess) => Promise<Result>,
    client: RequestClient | null,
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
      if (diedIdle && error instanceof GitError && !fresh) return useProcess(repository, work, client, true);
      throw error;
    } finally {
      clearTimeout(overdue);
    }
  }

  git.closeHooks.add(() => {
    for (const member of [...idle]) discard(member);
  });
  git.releaseHooks.add((repository) => {
    for (const member of [...idle]) if (member.directory === repository.directory) discard(member);
  });
  return { use: (repository, work, client = null) => useProcess(repository, work, client), prestart };
}

function createPooledProcess(child: GitChild): PooledProcess {
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
    readLine: line,
    readBytes: bytes,
    skip,
    send: (text) => void child.stdin.write(text),
    isDrained: () => pending.length === 0 && arrived.length === 0,
  };
}

async function fail(child: GitChild): Promise<never> {
  const ended = await child.done;
  throw new GitError(child.command, ended.ok ? { kind: 'stopped' } : ended.failure);
}
