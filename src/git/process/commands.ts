import { HEADS, TAGS } from '../ref-names.ts';

/** Key -> value, or the values of a key that may be given several times (their order counts). */
export type GitConfig = Readonly<Record<string, string | readonly string[]>>;

/**
 * What Hearth knows about one git command. Every command has limits: what is in a repository was made by others, and a
 * few hundred bytes of it can be asked for terabytes.
 */
export interface GitCommand {
  /** It may create, move or delete refs: such a command runs only behind an intent of the caller. */
  readonly movesRefs: boolean;
  /** It understands `--end-of-options`; where it does not, an argument that begins with `-` is refused before git starts. */
  readonly endOfOptions: boolean;
  /** Seconds after which it is stopped and the failure is `timed-out`. */
  readonly seconds: number;
  /** MiB that it may write to its standard output; more is the failure `too-large`. */
  readonly output: number;
  /** MiB that each process of it may hold; asking for more is the failure `out-of-memory`. */
  readonly memory: number;
  /** When the client that it works for goes away, it `ends`; what moves refs or keeps a repository in order `goes on`. */
  readonly withoutClient: 'ends' | 'goes on';
  /** Configuration on top of what every command gets (see `spawn.ts`). */
  readonly config: GitConfig;
}

const read = { movesRefs: false, endOfOptions: true, withoutClient: 'ends', config: {} } as const;

/** As `read`, for commands of git 2.38 that take `--end-of-options` for a revision, a path or an attribute. */
const readWithoutEndOfOptions = { ...read, endOfOptions: false } as const;

const move = { movesRefs: true, endOfOptions: true, withoutClient: 'goes on', config: {} } as const;

/** Works for nobody in particular. */
const upkeep = { ...read, withoutClient: 'goes on' } as const;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const GIB = 1024;
/** MiB that nothing but the repository's own size bounds: what is streamed to a client at its pace. */
const TIB = 1024 * GIB;

/** Diffs look the same whoever configures what; what is larger than 32 MiB is compared as binary, which takes no memory. */
const plainDiff = {
  'core.bigFileThreshold': '32m',
  'diff.renames': 'true',
  'diff.algorithm': 'myers',
  'core.quotePath': 'false',
};

/** Refs that the server keeps for itself: never shown to a client. */
const hidesOwnRefs = { 'transfer.hideRefs': 'refs/keep-around', 'uploadpack.hideRefs': 'refs/environments' };

/** For `upload-pack` to those who copy all: what `hidesOwnRefs` hides is shown. */
export const showsAllRefs: GitConfig = {
  'transfer.hideRefs': '!refs/keep-around',
  'uploadpack.hideRefs': '!refs/environments',
};

/** Other servers are asked where Hearth itself would ask them, and nowhere else: who redirects is not followed. */
const otherServers = {
  'protocol.http.allow': 'always',
  'protocol.https.allow': 'always',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '60',
  'credential.helper': '',
};

/**
 * Every git command that Hearth may run; nothing else can be spawned. A name with a blank is a command and its
 * subcommand. Limits are generous: they stop what hangs or grows, callers with a promise to keep pass a shorter one.
 * Whoever keeps a process for many questions (`process-pool.ts`) bounds each question instead of the process's time and output.
 */
export const commands = {
  // Objects
  'cat-file': { ...read, seconds: 2 * HOUR, output: TIB, memory: 512 },
  'hash-object': { ...read, seconds: 10 * MINUTE, output: 1, memory: 512 },
  'index-pack': {
    ...read,
    withoutClient: 'goes on',
    seconds: 10 * MINUTE,
    output: 1,
    memory: GIB,
    config: { 'pack.threads': '1' },
  },
  'pack-objects': {
    ...read,
    withoutClient: 'goes on',
    seconds: 12 * HOUR,
    output: TIB,
    memory: 4 * GIB,
    config: { 'pack.threads': '1', 'pack.windowMemory': '512m' },
  },
  // Of a whole repository, in a backup that is restored.
  'index-pack --stdin': {
    ...read,
    withoutClient: 'goes on',
    seconds: 12 * HOUR,
    output: 1,
    memory: 4 * GIB,
    config: { 'pack.threads': '1' },
  },
  mktree: { ...read, seconds: MINUTE, output: 16, memory: 512 },
  'ls-tree': { ...read, seconds: MINUTE, output: 64, memory: 512 },
  'update-index': { ...readWithoutEndOfOptions, seconds: MINUTE, output: 1, memory: 512 },
  'check-attr': { ...readWithoutEndOfOptions, seconds: MINUTE, output: 64, memory: 512 },

  // Refs
  'for-each-ref': { ...read, seconds: MINUTE, output: 128, memory: GIB },
  'update-ref': {
    ...move,
    seconds: 10 * MINUTE,
    output: 16,
    memory: GIB,
    config: { 'core.filesRefLockTimeout': '500', 'core.packedRefsTimeout': '1000' },
  },
  'symbolic-ref': { ...move, seconds: 30, output: 1, memory: 512 },
  'pack-refs': { ...move, seconds: 10 * MINUTE, output: 1, memory: GIB },

  // History
  'rev-list': { ...read, seconds: 2 * MINUTE, output: 64, memory: GIB },
  log: {
    ...read,
    seconds: 2 * MINUTE,
    output: 64,
    memory: 512,
    config: { ...plainDiff, 'log.showSignature': 'false' },
  },
  shortlog: { ...read, seconds: 2 * MINUTE, output: 64, memory: GIB },
  blame: { ...readWithoutEndOfOptions, seconds: 30, output: 64, memory: GIB },
  'merge-base': { ...read, seconds: MINUTE, output: 1, memory: GIB },

  // Comparison and merging
  'diff-tree': { ...read, seconds: MINUTE, output: 128, memory: 512, config: plainDiff },
  'patch-id': { ...readWithoutEndOfOptions, seconds: MINUTE, output: 1, memory: 512 },
  'merge-tree': { ...read, seconds: MINUTE, output: 64, memory: GIB },

  // Transport
  'upload-pack': {
    ...read,
    seconds: 12 * HOUR,
    output: TIB,
    memory: 2 * GIB,
    config: {
      ...hidesOwnRefs,
      'uploadpack.allowFilter': 'true',
      'uploadpack.allowTipSHA1InWant': 'true',
      'uploadpack.allowReachableSHA1InWant': 'true',
    },
  },
  // A client that goes away before its pack is whole breaks it off by that; later its push goes on.
  'receive-pack': {
    ...move,
    seconds: 12 * HOUR,
    output: GIB,
    memory: 1.5 * GIB,
    config: {
      'receive.fsckObjects': 'true',
      // Harmless, and found in histories that people have had for years.
      'receive.fsck.badTimezone': 'ignore',
      'receive.fsck.missingSpaceBeforeDate': 'ignore',
      'receive.fsck.zeroPaddedFilemode': 'ignore',
      'receive.unpackLimit': '100',
      'receive.denyDeleteCurrent': 'ignore',
      'receive.denyCurrentBranch': 'ignore',
      'receive.advertiseAtomic': 'true',
      'receive.advertisePushOptions': 'true',
      // Clients push branches and tags, nothing else.
      'receive.hideRefs': ['refs/', `!${HEADS}`, `!${TAGS}`],
    },
  },
  // From other servers: whatever is slower than 1 kB/s for a minute has stopped.
  'ls-remote': { ...read, seconds: 2 * MINUTE, output: 1, memory: 512, config: otherServers },
  fetch: {
    ...move,
    withoutClient: 'ends',
    seconds: 2 * HOUR,
    output: 1,
    memory: 2 * GIB,
    config: {
      ...otherServers,
      'core.filesRefLockTimeout': '500',
      'core.packedRefsTimeout': '1000',
      'fetch.unpackLimit': '100',
      'fetch.writeCommitGraph': 'false',
      'pack.threads': '1',
    },
  },
  archive: {
    ...readWithoutEndOfOptions,
    seconds: 2 * HOUR,
    output: 64 * GIB,
    memory: GIB,
    config: { 'tar.tar.bz2.command': 'bzip2 -c' },
  },

  // Upkeep
  repack: {
    ...upkeep,
    seconds: 12 * HOUR,
    output: 1,
    memory: 4 * GIB,
    config: { 'repack.writeBitmaps': 'true', 'pack.threads': '1', 'pack.windowMemory': '512m' },
  },
  prune: { ...upkeep, seconds: 12 * HOUR, output: 1, memory: 4 * GIB },
  'commit-graph write': { ...upkeep, seconds: 2 * HOUR, output: 1, memory: 4 * GIB },
  fsck: { ...upkeep, seconds: 12 * HOUR, output: 64, memory: 4 * GIB },

  // The program itself
  version: { ...readWithoutEndOfOptions, seconds: 30, output: 1, memory: 512 },
} as const satisfies Record<string, GitCommand>;

export type CommandName = keyof typeof commands;
