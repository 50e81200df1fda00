import { SERVER_REFS } from '../ref-names.ts';

/** Key -> value, or the values of a repeatable key (in order). */
export type GitConfig = Readonly<Record<string, string | readonly string[]>>;

/**
 * Properties of a git command. Every command has limits: a few hundred bytes in a repository, written by others, can
 * expand to terabytes.
 */
export interface GitCommand {
  /** Whether it may create, move or delete refs. Such a command runs only after the caller has stored an intent. */
  readonly movesRefs: boolean;
  /** Whether it supports `--end-of-options`. If not, an argument that begins with `-` is rejected before git starts. */
  readonly endOfOptions: boolean;
  /** Timeout in seconds; then it fails with `timed-out`. */
  readonly timeoutSeconds: number;
  /** Maximum standard output in MiB; then it fails with `too-large`. */
  readonly maxOutputMib: number;
  /** Maximum memory of each process in MiB; then it fails with `out-of-memory`. */
  readonly maxMemoryMib: number;
  /** The reaction to a client that disconnects. Commands that move refs or maintain a repository continue. */
  readonly onClientGone: 'stop' | 'continue';
  /** Configuration in addition to the common configuration in `spawn.ts`. */
  readonly config: GitConfig;
}

/** Commands that only read, for a client. */
const read = { movesRefs: false, endOfOptions: true, onClientGone: 'stop', config: {} } as const;

/** As `read`, for commands for which git 2.38 takes `--end-of-options` as a revision, path or attribute. */
const readWithoutEndOfOptions = { ...read, endOfOptions: false } as const;

/** Commands that may change refs. */
const move = { movesRefs: true, endOfOptions: true, onClientGone: 'continue', config: {} } as const;

/** Commands that no client waits for. */
const maintenance = { ...read, onClientGone: 'continue' } as const;

/** Durations in seconds, sizes in MiB. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const GIB = 1024;
/** Effectively unlimited: output that is streamed to a client at its pace. */
const TIB = 1024 * GIB;

/** Makes diffs independent of configuration. Files over 32 MiB are compared as binary, which needs no memory. */
const DIFF_CONFIG = {
  'core.bigFileThreshold': '32m',
  'diff.renames': 'true',
  'diff.algorithm': 'myers',
  'core.quotePath': 'false',
};

/** Internal refs of the server, hidden from clients. git adds the refs of both keys. */
const HIDE_INTERNAL_REFS = { 'transfer.hideRefs': 'refs/keep-around', 'uploadpack.hideRefs': 'refs/environments' };

/** For `upload-pack` to callers that copy everything: shows the refs that `HIDE_INTERNAL_REFS` hides. */
export const SHOW_ALL_REFS: GitConfig = {
  'transfer.hideRefs': '!refs/keep-around',
  'uploadpack.hideRefs': '!refs/environments',
};

/** Network settings for other servers. Redirects are not followed, so that git connects only to checked addresses. */
const REMOTE_CONFIG = {
  'protocol.http.allow': 'always',
  'protocol.https.allow': 'always',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '60',
  'credential.helper': '',
};

/**
 * All git commands that Hearth may run; no others can be spawned. A name with a space is a command and its subcommand.
 * Limits are generous: callers may pass lower ones. Users of long-lived processes (`process-pool.ts`) bound each
 * request instead.
 */
export const COMMANDS = {
  // Objects
  'cat-file': { ...read, timeoutSeconds: 2 * HOUR, maxOutputMib: TIB, maxMemoryMib: 512 },
  'hash-object': { ...read, timeoutSeconds: 10 * MINUTE, maxOutputMib: 1, maxMemoryMib: 512 },
  'index-pack': {
    ...read,
    onClientGone: 'continue',
    timeoutSeconds: 10 * MINUTE,
    maxOutputMib: 1,
    maxMemoryMib: GIB,
    config: { 'pack.threads': '1' },
  },
  'pack-objects': {
    ...read,
    onClientGone: 'continue',
    timeoutSeconds: 12 * HOUR,
    maxOutputMib: TIB,
    maxMemoryMib: 4 * GIB,
    config: { 'pack.threads': '1', 'pack.windowMemory': '512m' },
  },
  // For a whole repository of a restored backup.
  'index-pack --stdin': {
    ...read,
    onClientGone: 'continue',
    timeoutSeconds: 12 * HOUR,
    maxOutputMib: 1,
    maxMemoryMib: 4 * GIB,
    config: { 'pack.threads': '1' },
  },
  // For packs of untrusted servers: at most two at the same time (`fetch-slots.ts`), together below 1 GB. A pack of 2.5
  // million objects needs less than 470 MiB.
  'index-pack --stdin --fix-thin': {
    ...read,
    onClientGone: 'continue',
    timeoutSeconds: 2 * HOUR,
    maxOutputMib: 1,
    maxMemoryMib: 470,
    config: { 'pack.threads': '1', 'core.bigFileThreshold': '16m', 'core.deltaBaseCacheLimit': '32m' },
  },
  mktree: { ...read, timeoutSeconds: MINUTE, maxOutputMib: 16, maxMemoryMib: 512 },
  'ls-tree': { ...read, timeoutSeconds: MINUTE, maxOutputMib: 64, maxMemoryMib: 512 },
  'update-index': { ...readWithoutEndOfOptions, timeoutSeconds: MINUTE, maxOutputMib: 1, maxMemoryMib: 512 },
  'check-attr': { ...readWithoutEndOfOptions, timeoutSeconds: MINUTE, maxOutputMib: 64, maxMemoryMib: 512 },

  // Refs
  'for-each-ref': { ...read, timeoutSeconds: MINUTE, maxOutputMib: 128, maxMemoryMib: GIB },
  'update-ref': {
    ...move,
    timeoutSeconds: 10 * MINUTE,
    maxOutputMib: 16,
    maxMemoryMib: GIB,
    config: { 'core.filesRefLockTimeout': '500', 'core.packedRefsTimeout': '1000' },
  },
  'symbolic-ref': { ...move, timeoutSeconds: 30, maxOutputMib: 1, maxMemoryMib: 512 },
  'pack-refs': { ...move, timeoutSeconds: 10 * MINUTE, maxOutputMib: 1, maxMemoryMib: GIB },

  // History
  'rev-list': { ...read, timeoutSeconds: 2 * MINUTE, maxOutputMib: 64, maxMemoryMib: GIB },
  log: {
    ...read,
    timeoutSeconds: 2 * MINUTE,
    maxOutputMib: 64,
    maxMemoryMib: 512,
    config: { ...DIFF_CONFIG, 'log.showSignature': 'false' },
  },
  shortlog: { ...read, timeoutSeconds: 2 * MINUTE, maxOutputMib: 64, maxMemoryMib: GIB },
  blame: { ...readWithoutEndOfOptions, timeoutSeconds: 30, maxOutputMib: 64, maxMemoryMib: GIB },
  'merge-base': { ...read, timeoutSeconds: MINUTE, maxOutputMib: 1, maxMemoryMib: GIB },

  // Comparison and merging
  'diff-tree': { ...read, timeoutSeconds: MINUTE, maxOutputMib: 128, maxMemoryMib: 512, config: DIFF_CONFIG },
  diff: { ...read, timeoutSeconds: 2 * HOUR, maxOutputMib: TIB, maxMemoryMib: 2 * GIB, config: DIFF_CONFIG },
  'format-patch': {
    ...readWithoutEndOfOptions,
    timeoutSeconds: 2 * HOUR,
    maxOutputMib: TIB,
    maxMemoryMib: 2 * GIB,
    config: DIFF_CONFIG,
  },
  'patch-id': { ...readWithoutEndOfOptions, timeoutSeconds: MINUTE, maxOutputMib: 1, maxMemoryMib: 512 },
  'merge-tree': { ...read, timeoutSeconds: MINUTE, maxOutputMib: 64, maxMemoryMib: GIB },

  // Transport
  'upload-pack': {
    ...read,
    timeoutSeconds: 12 * HOUR,
    maxOutputMib: TIB,
    maxMemoryMib: 2 * GIB,
    config: {
      ...HIDE_INTERNAL_REFS,
      'uploadpack.allowFilter': 'true',
      'uploadpack.allowTipSHA1InWant': 'true',
      'uploadpack.allowReachableSHA1InWant': 'true',
    },
  },
  // A client that disconnects before its pack is complete aborts the push; later the push continues.
  'receive-pack': {
    ...move,
    timeoutSeconds: 12 * HOUR,
    maxOutputMib: GIB,
    maxMemoryMib: 1.5 * GIB,
    config: {
      'receive.fsckObjects': 'true',
      // Harmless, and common in old histories.
      'receive.fsck.badTimezone': 'ignore',
      'receive.fsck.missingSpaceBeforeDate': 'ignore',
      'receive.fsck.zeroPaddedFilemode': 'ignore',
      'receive.unpackLimit': '100',
      'receive.denyDeleteCurrent': 'ignore',
      'receive.denyCurrentBranch': 'ignore',
      'receive.advertiseAtomic': 'true',
      'receive.advertisePushOptions': 'true',
      // git refuses each change of a hidden ref and carries out the other changes of the push.
      'receive.hideRefs': SERVER_REFS,
    },
  },
  // For fetches of a secondary site from the primary. Transfers slower than 1 kB/s for a minute are aborted.
  'ls-remote': { ...read, timeoutSeconds: 2 * MINUTE, maxOutputMib: 1, maxMemoryMib: 512, config: REMOTE_CONFIG },
  fetch: {
    ...move,
    onClientGone: 'stop',
    timeoutSeconds: 2 * HOUR,
    maxOutputMib: 1,
    maxMemoryMib: 2 * GIB,
    config: {
      ...REMOTE_CONFIG,
      'core.filesRefLockTimeout': '500',
      'core.packedRefsTimeout': '1000',
      'fetch.unpackLimit': '100',
      'fetch.writeCommitGraph': 'false',
      'pack.threads': '1',
    },
  },
  archive: {
    ...readWithoutEndOfOptions,
    timeoutSeconds: 2 * HOUR,
    maxOutputMib: 64 * GIB,
    maxMemoryMib: GIB,
    // git has no bzip2 format of its own.
    config: { 'tar.tar.bz2.command': 'bzip2 -c' },
  },

  // Maintenance
  repack: {
    ...maintenance,
    timeoutSeconds: 12 * HOUR,
    maxOutputMib: 1,
    maxMemoryMib: 4 * GIB,
    config: { 'repack.writeBitmaps': 'true', 'pack.threads': '1', 'pack.windowMemory': '512m' },
  },
  prune: { ...maintenance, timeoutSeconds: 12 * HOUR, maxOutputMib: 1, maxMemoryMib: 4 * GIB },
  'commit-graph write': { ...maintenance, timeoutSeconds: 2 * HOUR, maxOutputMib: 1, maxMemoryMib: 4 * GIB },
  fsck: { ...maintenance, timeoutSeconds: 12 * HOUR, maxOutputMib: 64, maxMemoryMib: 4 * GIB },

  // The program itself
  version: { ...readWithoutEndOfOptions, timeoutSeconds: 30, maxOutputMib: 1, maxMemoryMib: 512 },
} as const satisfies Record<string, GitCommand>;

export type CommandName = keyof typeof COMMANDS;
