import { isAbsolute, join, normalize } from 'node:path';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import type { Clock } from '#runtime/clock.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { createProcesses, type Processes, stopProcesses } from './process/spawn.ts';
import type { Repository } from './repository.ts';

/** Limits of one server. */
export interface GitLimits {
  /** Long-lived read processes, for all repositories together. */
  readonly maxReaders: number;
  /** Milliseconds after which an idle read or write process is stopped. */
  readonly idleMs: number;
  /** Large objects that are streamed concurrently. */
  readonly maxStreams: number;
  /** Concurrent history walks (blame, last commit of a path). */
  readonly maxHistoryWalks: number;
  /** Size in bytes of each cache (small blobs, commits, trees, blames). */
  readonly cacheBytes: number;
}

const DEFAULT_LIMITS: GitLimits = {
  maxReaders: 16,
  idleMs: 60_000,
  maxStreams: 64,
  maxHistoryWalks: 4,
  cacheBytes: 16 * 1024 * 1024,
};

/** Logs a failure that no caller gets. */
type GitLog = (event: string, details: Readonly<Record<string, unknown>>) => void;

/** Git access of one server: its storages, processes and caches. */
export interface Git {
  /** Storage name -> absolute directory. */
  readonly storages: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: GitLog;
  readonly limits: GitLimits;
  readonly processes: Processes;
  /** The client of the current request; null for the server itself. */
  readonly client: RequestClient | null;
  /** Functions that `close` calls before it stops the remaining processes. */
  readonly closeHooks: Set<() => void>;
  /** Functions that are called before a repository's directory is removed or moved. */
  readonly releaseHooks: Set<(repository: Repository) => void>;
  /** Stops every git process and waits for their exits. Later calls start nothing. */
  close(): Promise<void>;
}

interface GitOptions {
  storages: Readonly<Record<string, string>>;
  clock: Clock;
  log?: GitLog;
  /** Called when a process ends that served one request, for metrics. */
  onProcessCompleted?: Processes['onCompleted'];
  limits?: Partial<GitLimits>;
  /** The git program; found on PATH by default. */
  program?: string;
}

export function createGit(options: GitOptions): Git {
  for (const [name, directory] of Object.entries(options.storages)) {
    if (!isAbsolute(directory)) throw new Error(`The directory of storage '${name}' is not absolute: ${directory}`);
  }
  const log: GitLog = options.log ?? (() => undefined);
  const processes = createProcesses(options.program ?? 'git', options.onProcessCompleted);
  const closeHooks = new Set<() => void>();
  return {
    storages: options.storages,
    clock: options.clock,
    log,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    processes,
    client: null,
    closeHooks,
    releaseHooks: new Set(),
    close: async () => {
      for (const closeHook of closeHooks) closeHook();
      await stopProcesses(processes);
    },
  };
}

/** Returns the same `Git` for one request: its reads stop when the client disconnects. Null: for no client. */
export function gitForClient(git: Git, client: RequestClient | null): Git {
  return git.client === client ? git : { ...git, client };
}

/**
 * Returns the repository at a disk path (see `storage.ts`) of a storage. Throws for an unknown storage or a path
 * outside it.
 */
export function getRepositoryAt(git: Git, storage: string, diskPath: string): Repository {
  const root = git.storages[storage];
  if (root === undefined) throw new Error(`There is no storage '${storage}'`);
  const normalizedPath = normalize(diskPath);
  if (isAbsolute(normalizedPath) || normalizedPath === '.' || normalizedPath.startsWith('..'))
    throw new Error(`'${diskPath}' is no path inside a storage`);
  return { directory: join(root, normalizedPath) };
}

/**
 * Defines a value that exists once per `Git`, such as a cache, pool or limiter: `const blames = definePerGit((git) =>
 * new LRUCache(...))`, then `blames(git)`. It is shared by all requests of a `Git`. A value that must be stopped adds
 * itself to `git.closeHooks`.
 */
export function definePerGit<Value>(createValue: (git: Git) => Value): (git: Git) => Value {
  const values = new WeakMap<Processes, Value>();
  return (git) => {
    let value = values.get(git.processes);
    if (value === undefined) {
      value = createValue(gitForClient(git, null));
      values.set(git.processes, value);
    }
    return value;
  };
}

/** Loads one value for each of these commits, by their ids. */
type LoadPerCommit<Value> = (
  git: Git,
  repository: Repository,
  commits: readonly string[],
) => Promise<Map<string, Value>>;

/**
 * Wraps a loader with a cache of at most `max` values (or of that total size, with `sizeOf`). Commits never change, so
 * entries do not expire. Git runs once for all uncached commits.
 */
export function cachePerCommit<Value extends {}>(
  max: number,
  load: LoadPerCommit<Value>,
  sizeOf?: (value: Value) => number,
): LoadPerCommit<Value> {
  const cache = definePerGit(() => createBoundedCache<Value>(max, sizeOf));
  return async (git, repository, commits) => {
    const toKey = (id: string): string => `${repository.directory} ${id}`;
    const cachedById = new Map(commits.map((id) => [id, cache(git).get(toKey(id))]));
    const uncached = commits.filter((id) => cachedById.get(id) === undefined);
    const loadedById = uncached.length === 0 ? new Map<string, Value>() : await load(git, repository, uncached);
    for (const [id, value] of loadedById) cache(git).set(toKey(id), value);
    return new Map(commits.map((id) => [id, loadedById.get(id) ?? cachedById.get(id)!]));
  };
}
