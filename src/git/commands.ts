import { HEADS, TAGS } from './names.ts';

/** Key -> value, or the values of a key that may be given several times (their order counts). */
export type GitConfig = Readonly<Record<string, string | readonly string[]>>;

/** What Hearth knows about one git command. */
export interface GitCommand {
  /** It may create, move or delete refs: such a command runs only behind an intent of the caller. */
  readonly movesRefs: boolean;
  /** It understands `--end-of-options`; where it does not, an argument that begins with `-` is refused before git starts. */
  readonly endOfOptions: boolean;
  /** Seconds after which it is stopped and the failure is `timed-out`; null: it lives as long as its caller wants. */
  readonly seconds: number | null;
  /** Configuration on top of what every command gets (see `spawn.ts`). */
  readonly config: GitConfig;
}

function reads(seconds: number | null, config: GitConfig = {}): GitCommand {
  return { movesRefs: false, endOfOptions: true, seconds, config };
}

/** As `reads`, for commands of git 2.38 that take `--end-of-options` for a revision, a path or an attribute. */
function readsWithoutEndOfOptions(seconds: number | null, config: GitConfig = {}): GitCommand {
  return { movesRefs: false, endOfOptions: false, seconds, config };
}

function movesRefs(seconds: number | null, config: GitConfig = {}): GitCommand {
  return { movesRefs: true, endOfOptions: true, seconds, config };
}

/** Diffs look the same whoever configures what. */
const plainDiff = { 'diff.renames': 'true', 'diff.algorithm': 'myers', 'core.quotePath': 'false' };

/** Refs that the server keeps for itself: never shown to a client. */
const hidesOwnRefs = { 'transfer.hideRefs': 'refs/keep-around', 'uploadpack.hideRefs': 'refs/environments' };

/**
 * Every git command that Hearth may run; nothing else can be spawned. A name with a blank is a command and its
 * subcommand. Limits are generous: they stop what hangs, callers with a promise to keep pass a shorter one.
 */
export const commands = {
  // Objects
  'cat-file': reads(null),
  'hash-object': reads(600),
  mktree: reads(60),
  'ls-tree': reads(60),
  'update-index': readsWithoutEndOfOptions(60),
  'check-attr': readsWithoutEndOfOptions(60),

  // Refs
  'for-each-ref': reads(60),
  'update-ref': movesRefs(null, { 'core.filesRefLockTimeout': '500', 'core.packedRefsTimeout': '1000' }),
  'symbolic-ref': movesRefs(30),
  'pack-refs': movesRefs(600),

  // History
  'rev-list': reads(120),
  log: reads(120, { 'log.showSignature': 'false' }),
  shortlog: reads(120),
  blame: readsWithoutEndOfOptions(60),
  'merge-base': reads(60),

  // Comparison and merging
  'diff-tree': reads(60, plainDiff),
  'merge-tree': reads(60),

  // Transport
  'upload-pack': reads(null, {
    ...hidesOwnRefs,
    'uploadpack.allowFilter': 'true',
    'uploadpack.allowTipSHA1InWant': 'true',
    'uploadpack.allowReachableSHA1InWant': 'true',
  }),
  'receive-pack': movesRefs(null, {
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
  }),
  archive: readsWithoutEndOfOptions(null, { 'tar.tar.bz2.command': 'bzip2 -c' }),

  // Upkeep
  repack: reads(null, { 'repack.writeBitmaps': 'true', 'pack.threads': '1' }),
  prune: reads(null),
  'commit-graph write': reads(null),
  fsck: reads(null),

  // The program itself
  version: readsWithoutEndOfOptions(30),
} as const satisfies Record<string, GitCommand>;

export type CommandName = keyof typeof commands;
