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
interface ProcessPool {
  /**
   * Runs `work` with a process. If `work` throws or leaves output unread, the process is killed. A process that died
   * while idle is replaced once. One that takes too long is stopped. A disconnected `client` stops waiting.
   */
  use<Result>(
    repository: Repository,
    work: (process: PooledProcess) => Promise<Result>,
    client?: RequestClient | null,
  ): Promise<Result>;
  /** Starts a process for a repository that has none, if the limit allows it, so that the next caller need not wait. */
  prestart(repository: Repository): void;
}

interface PoolMember {
  readonly process: PooledProcess;
  readonly directory: string;
  /** Whether a caller has used it before. */
  used: boolean;
  ended: boolean;
  idleTimer: NodeJS.Timeout | undefined;
}

/** Maximum waiting callers: one request can send a thousand queries concurrently. */
const WAIT_LIMIT = { maxWaiting: 5_000, retryAfterSeconds: 5 };

interface PoolLimits {
  /** Maximum number of processes. */
  readonly maxProcesses: number;
  /** Seconds that one caller may use a process. */
  readonly maxUseSeconds: number;
}

export function createProcessPool(
  git: Git,
  command: CommandName,
  invocation: Invocation,
  limits: PoolLimits,
): ProcessPool {
  /** Ordered by last use, the longest ago first. */
  const idle = new Set<PoolMember>();
  /** Waiters by repository directory; null means that a new process may be started. */
  const waiting = createWaitQueue<PoolMember | null>(WAIT_LIMIT);
  let liveCount = 0;

  function discard(member: PoolMember): void {
    if (member.ended) return;
    member.ended = true;
    clearTimeout(member.idleTimer);
    idle.delete(member);
    liveCount -= 1;
    member.process.child.kill();
    waiting.findNext()?.serve(null);
  }

  function addMember(directory: string): PoolMember {
    const child = startProcess(directory);
    const member: PoolMember = {
      process: createPooledProcess(child),
      directory,
      used: false,
      ended: false,
      idleTimer: undefined,
    };
    liveCount += 1;
    child.done.then(() => discard(member));
    return member;
  }

  /** Spawns git. If that fails (git is closed), the next waiter must fail too: nothing else would wake it. */
  function startProcess(directory: string): GitChild {
    try {
      return spawnGit(git, { directory }, command, invocation, { longLived: true });
    } catch (error) {
      waiting.findNext()?.serve(null);
      throw error;
    }
  }

  async function acquire(directory: string, requireNew: boolean, client: RequestClient | null): Promise<PoolMember> {
    for (;;) {
      const idleMember = requireNew ? undefined : idle.values().find((member) => member.directory === directory);
      if (idleMember !== undefined) {
        clearTimeout(idleMember.idleTimer);
        idle.delete(idleMember);
        return idleMember;
      }
      if (liveCount < limits.maxProcesses) return addMember(directory);
      const [oldest] = idle;
      if (oldest !== undefined) discard(oldest);
      else {
        const released = await waiting.wait(directory, { client });
        if (released !== null) return released;
      }
    }
  }

  function release(member: PoolMember): void {
    if (member.ended) return;
    member.used = true;
    const next = waiting.findNext();
    if (git.processes.closed || !member.process.isDrained()) discard(member);
    else if (next?.resourceName === member.directory) next.serve(member);
    // Makes room: the waiter starts a process for its own repository.
    else if (next !== undefined) discard(member);
    else markIdle(member);
  }

  function markIdle(member: PoolMember): void {
    member.idleTimer = setTimeout(() => discard(member), git.limits.idleMs);
    member.idleTimer.unref();
    idle.add(member);
  }

  function prestart({ directory }: Repository): void {
    const hasIdleProcess = idle.values().some((member) => member.directory === directory);
    if (!hasIdleProcess && liveCount < limits.maxProcesses && !git.processes.closed) markIdle(addMember(directory));
  }

  async function useProcess<Result>(
    repository: Repository,
    work: (process: PooledProcess) => Promise<Result>,
    client: RequestClient | null,
    requireNew = false,
  ): Promise<Result> {
    const member = await acquire(repository.directory, requireNew, client);
    const killTimer = setTimeout(() => member.process.child.kill({ kind: 'timed-out' }), limits.maxUseSeconds * 1000);
    try {
      const result = await work(member.process);
      release(member);
      return result;
    } catch (error) {
      const diedIdle = member.used && member.ended && !git.processes.closed && !isOverLimit(error);
      discard(member);
      if (diedIdle && error instanceof GitError && !requireNew) return useProcess(repository, work, client, true);
      throw error;
    } finally {
      clearTimeout(killTimer);
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
  let receivedChunks: Buffer[] = [];
  let ended = false;
  let wake: () => void = () => undefined;

  child.stdout.on('data', (chunk: Buffer) => {
    receivedChunks.push(chunk);
    wake();
  });
  for (const event of ['end', 'close', 'error'] as const) {
    child.stdout.on(event, () => {
      ended = true;
      wake();
    });
  }

  async function takeChunks(): Promise<Buffer[]> {
    while (receivedChunks.length === 0) {
      if (ended) return throwExit(child);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const chunks = receivedChunks;
    receivedChunks = [];
    return chunks;
  }

  async function readLine(): Promise<Buffer> {
    let searchedBytes = 0;
    for (;;) {
      const end = pending.indexOf(0x0a, searchedBytes);
      if (end >= 0) {
        const line = pending.subarray(0, end);
        pending = pending.subarray(end + 1);
        return line;
      }
      searchedBytes = pending.length;
      pending = Buffer.concat([pending, ...(await takeChunks())]);
    }
  }

  async function readBytes(size: number): Promise<Buffer> {
    const chunks = [pending];
    let length = pending.length;
    while (length < size) {
      for (const chunk of await takeChunks()) {
        chunks.push(chunk);
        length += chunk.length;
      }
    }
    const all = chunks.length === 1 ? pending : Buffer.concat(chunks);
    pending = all.subarray(size);
    return all.subarray(0, size);
  }

  async function skip(size: number): Promise<void> {
    let remaining = size;
    while (remaining > pending.length) {
      remaining -= pending.length;
      pending = Buffer.concat(await takeChunks());
    }
    pending = pending.subarray(remaining);
  }

  return {
    child,
    readLine,
    readBytes,
    skip,
    send: (text) => void child.stdin.write(text),
    isDrained: () => pending.length === 0 && receivedChunks.length === 0,
  };
}

async function throwExit(child: GitChild): Promise<never> {
  const exit = await child.done;
  throw new GitError(child.command, exit.ok ? { kind: 'stopped' } : exit.failure);
}
