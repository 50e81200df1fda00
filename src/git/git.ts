import { isAbsolute, join, normalize } from 'node:path';
import type { Clock } from '#runtime/clock.ts';
import type { Client } from '#runtime/concurrency-limiter.ts';
import { createProcesses, endProcesses, type Processes } from './process/spawn.ts';
import type { Repository } from './repository.ts';

/** Bounds of what one server holds and runs. */
export interface GitLimits {
  /** Long-lived reading processes, all repositories together. */
  readonly readers: number;
  /** Milliseconds after which a reading or writing process that nobody uses is ended. */
  readonly idle: number;
  /** Large objects that are being streamed at the same time. */
  readonly streams: number;
  /** History walks (blame, last commit of a path) at the same time. */
  readonly walks: number;
  /** Bytes that each cache (small blobs, commits, trees, blames) may hold. */
  readonly objectBytes: number;
}

const defaultLimits: GitLimits = {
  readers: 16,
  idle: 60_000,
  streams: 64,
  walks: 4,
  objectBytes: 16 * 1024 * 1024,
};

/** What went wrong without being anybody's answer. */
type GitLog = (event: string, details: Readonly<Record<string, unknown>>) => void;

/** The git room of one server: its storages, and everything that runs or is remembered on its behalf. */
export interface Git {
  /** Storage name -> absolute directory. */
  readonly storages: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: GitLog;
  readonly limits: GitLimits;
  readonly processes: Processes;
  /** The client of the request that this is for; null: the server's own. */
  readonly client: Client | null;
  /** Run by `close`, before the remaining processes are stopped. */
  readonly closing: Set<() => void>;
  /** Run for a repository that is being removed or moved away, before its directory goes. */
  readonly leaving: Set<(repository: Repository) => void>;
  /** Stops every git process, waits for their ends, forgets the caches. A call after it starts nothing. */
  close(): Promise<void>;
}

interface GitOptions {
  storages: Readonly<Record<string, string>>;
  clock: Clock;
  log?: GitLog;
  limits?: Partial<GitLimits>;
  /** The program; found on PATH by default. */
  program?: string;
}

export function createGit(options: GitOptions): Git {
  for (const [name, directory] of Object.entries(options.storages)) {
    if (!isAbsolute(directory)) throw new Error(`The directory of storage '${name}' is not absolute: ${directory}`);
  }
  const log: GitLog = options.log ?? (() => undefined);
  const processes = createProcesses(options.program ?? 'git');
  const closing = new Set<() => void>();
  return {
    storages: options.storages,
    clock: options.clock,
    log,
    limits: { ...defaultLimits, ...options.limits },
    processes,
    client: null,
    closing,
    leaving: new Set(),
    close: async () => {
      for (const end of closing) end();
      await endProcesses(processes);
    },
  };
}

/** The same git room for one request: what is read for it ends when its client goes away. Null: for nobody in particular. */
export function gitFor(git: Git, client: Client | null): Git {
  return git.client === client ? git : { ...git, client };
}

/** The repository at a disk path (see `storage.ts`) of a storage. An unknown storage or a path that leaves it is an error. */
export function repositoryAt(git: Git, storage: string, diskPath: string): Repository {
  const root = git.storages[storage];
  if (root === undefined) throw new Error(`There is no storage '${storage}'`);
  const inside = normalize(diskPath);
  if (isAbsolute(inside) || inside === '.' || inside.startsWith('..')) {
    throw new Error(`'${diskPath}' is no path inside a storage`);
  }
  return { directory: join(root, inside) };
}

/**
 * Something that each `Git` has one of: a cache, a pool, a gate. `const blames = ownedBy((git) => new LRUCache(...))`
 * and then `blames(git)`. It lives as long as its `Git`, whatever requests that is for; what must be ended adds itself to
 * `git.closing`.
 */
export function ownedBy<Thing>(make: (git: Git) => Thing): (git: Git) => Thing {
  const things = new WeakMap<Processes, Thing>();
  return (git) => {
    let thing = things.get(git.processes);
    if (thing === undefined) {
      thing = make(gitFor(git, null));
      things.set(git.processes, thing);
    }
    return thing;
  };
}
