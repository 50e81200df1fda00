import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createYielder, sortCooperatively } from '#runtime/yielding.ts';
import type { Git } from '../git.ts';
import { GitError, type GitFailure } from '../process/failures.ts';
import { runGit, spawnGit } from '../process/spawn.ts';
import { decodeName, HEADS, isServerRef, TAGS } from '../ref-names.ts';
import {
  isValidBranchName,
  isValidPushedRefName,
  isValidTagName,
  looksLikeObjectId,
  startsWithSha,
} from '../refs/refs.ts';
import type { Repository } from '../repository.ts';
import { replaceRepository, syncDirectory } from '../storage/storage.ts';
import { writePackedRefs } from '../transfer/bundle.ts';

/*
 * Fetches from untrusted servers. Hearth speaks the protocol itself (version 0 of smart HTTP) and limits what it receives.
 * `git fetch` keeps all advertised refs in memory, writes packs of any size, and waits for a slow server without a limit.
 */

/** Requests of the smart protocol. Both resolve with the body of a successful response. */
export interface UntrustedRemote {
  /** `GET info/refs?service=git-upload-pack`. */
  advertise(maxBytes: number): Promise<Readable>;
  /** `POST git-upload-pack`. */
  uploadPack(body: Buffer, maxBytes: number): Promise<Readable>;
}

export interface UntrustedLimits {
  readonly maxRefs: number;
  readonly maxAdvertisementBytes: number;
  readonly maxPackBytes: number;
  /** Minimum bytes of the pack that must arrive in each period of this many milliseconds. */
  readonly minBytesPerPeriod: number;
  /** As `minBytesPerPeriod`, while other fetches wait for this one. */
  readonly minBytesPerContendedPeriod: number;
  readonly periodMs: number;
  /** Periods in which the server may prepare the pack. */
  readonly preparationPeriods: number;
}

const MIB = 1024 * 1024;

/** 16 KiB a second, 512 KiB if other fetches wait, measured over a minute; ten minutes for the server to prepare the pack. */
export const UNTRUSTED_LIMITS: UntrustedLimits = {
  maxRefs: 500_000,
  maxAdvertisementBytes: 64 * MIB,
  maxPackBytes: 10 * 1024 * MIB,
  minBytesPerPeriod: 60 * 16 * 1024,
  minBytesPerContendedPeriod: 60 * 512 * 1024,
  periodMs: 60_000,
  preparationPeriods: 10,
};

/** Maximum bytes of progress messages and packet headers, in addition to the size of the pack. */
const MAX_OVERHEAD_BYTES = MIB;

/** Error for a server that is too slow while other fetches wait. The fetch may be retried. */
export class FetchPreempted extends Error {}

interface UntrustedFetch {
  readonly limits: UntrustedLimits;
  /** Returns whether other fetches wait for the end of this one. */
  readonly isContended: () => boolean;
  readonly signal: AbortSignal;
}

interface FetchTarget {
  readonly repository: Repository;
  readonly defaultBranch: string;
}

/**
 * Replaces a repository by the refs of an untrusted server that are not internal to it. Calls `findTarget` when the
 * refs have arrived. Rejects objects that violate git's rules and incomplete histories. The repository changes only if the fetch
 * succeeds. Returns the refs that were left out because a push of them would be rejected. Throws `GitError` and the errors of
 * the remote.
 */
export async function fetchUntrusted(
  git: Git,
  remote: UntrustedRemote,
  findTarget: () => Promise<FetchTarget>,
  options: UntrustedFetch,
): Promise<readonly string[]> {
  const { limits } = options;
  const { refs, omitted } = await readAdvertisement(await remote.advertise(limits.maxAdvertisementBytes), limits);
  const { repository, defaultBranch } = await findTarget();
  await replaceRepository(git, repository, { defaultBranch }, async (draft) => {
    if (refs.size === 0) return;
    const request = await composeRequest(new Set(refs.values()));
    await indexReceivedPack(git, draft, await remote.uploadPack(request, limits.maxPackBytes), options);
    await writePackedRefs(draft, await toRefLines(git, draft, refs, omitted));
  });
  return omitted;
}

const createFetchError = (cause: GitFailure) => new GitError('fetch', cause);
const createProtocolError = (text: string) => createFetchError({ kind: 'failed', code: null, text });

/** Maximum length of a packet in bytes, with its header. */
const MAX_PACKET_BYTES = 65_520;

/** Yields the packets of a body; null for a flush packet. */
async function* readPackets(body: Readable): AsyncGenerator<Buffer | null> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    pending = pending.length === 0 ? (chunk as Buffer) : Buffer.concat([pending, chunk as Buffer]);
    let offset = 0;
    while (pending.length - offset >= 4) {
      const header = pending.toString('latin1', offset, offset + 4);
      const length = /^[0-9a-f]{4}$/i.test(header) ? Number.parseInt(header, 16) : -1;
      if (length < 0 || length > MAX_PACKET_BYTES || (length > 0 && length < 4))
        throw createProtocolError('the response is not in the packet format');
      if (pending.length - offset < length) break;
      yield length === 0 ? null : pending.subarray(offset + 4, offset + length);
      offset += Math.max(length, 4);
    }
    pending = pending.subarray(offset);
  }
  if (pending.length > 0) throw createProtocolError('the response ends within a packet');
}

interface Advertisement {
  readonly refs: Map<string, string>;
  readonly omitted: string[];
}

async function readAdvertisement(body: Readable, limits: UntrustedLimits): Promise<Advertisement> {
  const refs = new Map<string, string>();
  const omitted: string[] = [];
  let count = 0;
  let flushPacketCount = 0;
  let hasServiceLine = false;
  try {
    for await (const packet of readPackets(body)) {
      // The first flush packet ends the service line, the second one the list of refs.
      if (packet === null) {
        flushPacketCount += 1;
        if (flushPacketCount === 2) break;
        continue;
      }
      if (!hasServiceLine) {
        if (packet.toString('latin1').trimEnd() !== '# service=git-upload-pack')
          throw createProtocolError('the server does not speak the smart protocol');
        hasServiceLine = true;
        continue;
      }
      const end = packet.indexOf(0);
      if (count === 0) requireCapabilities(end < 0 ? '' : packet.toString('latin1', end + 1));
      count += 1;
      if (count > limits.maxRefs) throw createFetchError({ kind: 'too-large', limit: limits.maxRefs });
      addRef(end < 0 ? packet : packet.subarray(0, end), refs, omitted);
    }
  } finally {
    body.destroy();
  }
  if (flushPacketCount < 2) throw createProtocolError('the list of refs is incomplete');
  return { refs, omitted };
}

function requireCapabilities(capabilityText: string): void {
  const names = capabilityText.trim().split(' ');
  const isUsable = names.includes('side-band-64k') && names.includes('ofs-delta');
  const format = names.find((name) => name.startsWith('object-format='));
  if (!isUsable || (format !== undefined && format !== 'object-format=sha1'))
    throw createProtocolError('the server lacks capabilities');
}

/** Maximum number of omitted refs that are reported. */
const MAX_OMITTED = 100;

function addRef(line: Buffer, refs: Map<string, string>, omitted: string[]): void {
  const id = line.toString('latin1', 0, 40);
  const ref = decodeName(line.subarray(41)).replace(/\n$/, '');
  if (!/^[0-9a-f]{40}$/.test(id) || line[40] !== 0x20 || !isImported(ref)) return;
  if (isAcceptable(ref)) refs.set(ref, id);
  else if (omitted.length < MAX_OMITTED) omitted.push(ref);
}

/** Returns whether a ref is imported: not if it is internal to the source; `^{}` marks the target of an annotated tag. */
function isImported(ref: string): boolean {
  if (!ref.startsWith('refs/') || ref.endsWith('^{}')) return false;
  return !isServerRef(ref) || /^refs\/merge-requests\/[1-9]\d{0,9}\/head$/.test(ref);
}

/** Returns whether a push of the ref would be accepted. */
function isAcceptable(ref: string): boolean {
  if (ref.startsWith(HEADS)) {
    const name = ref.slice(HEADS.length);
    return isValidBranchName(name) && !startsWithSha(name);
  }
  if (ref.startsWith(TAGS)) {
    const name = ref.slice(TAGS.length);
    return isValidTagName(name) && !looksLikeObjectId(name);
  }
  return isValidPushedRefName(ref);
}

/** Returns the body of a request for these objects with their complete history. */
async function composeRequest(ids: ReadonlySet<string>): Promise<Buffer> {
  const parts: string[] = [];
  const yieldIfDue = createYielder();
  for (const id of ids) {
    const capabilities = parts.length === 0 ? ' side-band-64k ofs-delta no-progress agent=hearth' : '';
    parts.push(toPacket(`want ${id}${capabilities}\n`));
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return Buffer.from(`${parts.join('')}0000${toPacket('done\n')}`, 'latin1');
}

const toPacket = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** Flag of index-pack: rejects the objects that a push may not contain, and missing objects; tolerates old formats. */
const FSCK_FLAG = '--strict=badTimezone=ignore,missingSpaceBeforeDate=ignore,zeroPaddedFilemode=ignore';

async function indexReceivedPack(git: Git, draft: Repository, body: Readable, options: UntrustedFetch): Promise<void> {
  const { signal } = options;
  const child = spawnGit(git, draft, 'index-pack --stdin --fix-thin', { flags: [FSCK_FLAG] });
  child.stdout.resume();
  const stop = () => child.kill();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const closed = once(child.stdin, 'close').catch(() => {});
  const pace = watchPace(body, options);
  try {
    for await (const bytes of readPack(body, pace)) {
      if (child.stdin.destroyed) break;
      if (!child.stdin.write(bytes)) await pace.pauseDuring(Promise.race([once(child.stdin, 'drain'), closed]));
    }
  } catch (error) {
    child.kill();
    await child.done;
    throw error;
  } finally {
    pace.stop();
    body.destroy();
    child.stdin.end();
    await child.done;
    signal.removeEventListener('abort', stop);
  }
  const exit = await child.done;
  if (!exit.ok) throw new GitError('index-pack', exit.failure);
  await syncDirectory(`${draft.directory}/objects/pack`);
}

/** Yields the bytes of the pack, which the response sends in side band 1. */
async function* readPack(body: Readable, pace: Pace): AsyncGenerator<Buffer> {
  let isAcknowledged = false;
  let packBytes = 0;
  let overheadBytes = 0;
  for await (const packet of readPackets(body)) {
    if (!isAcknowledged) {
      if (packet?.toString('latin1').trimEnd() !== 'NAK') throw createProtocolError('the server does not send a pack');
      isAcknowledged = true;
    } else if (packet === null) return;
    else if (packet[0] === 1) {
      // Four bytes of packet header and one of the side band.
      overheadBytes += 5;
      packBytes += packet.length - 1;
      pace.count(packet.length - 1);
      yield packet.subarray(1);
    } else if (packet[0] === 2) overheadBytes += 4 + packet.length;
    else if (packet[0] === 3) throw createProtocolError(packet.toString('utf8', 1, 1000));
    else throw createProtocolError('the response has an unknown side band');
    if (overheadBytes > MAX_OVERHEAD_BYTES + packBytes)
      throw createProtocolError('the server sends progress without end');
  }
  throw createProtocolError('the pack is incomplete');
}

interface Pace {
  count(bytes: number): void;
  /** Excludes the periods in which this server itself delays the transfer. */
  pauseDuring<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

/** Destroys a body that arrives too slowly. Returns an object that counts its bytes. */
function watchPace(body: Readable, { limits, isContended }: UntrustedFetch): Pace {
  const { periodMs, minBytesPerPeriod, minBytesPerContendedPeriod, preparationPeriods } = limits;
  let receivedBytes = 0;
  let periodBytes = 0;
  let periodCount = 0;
  let wasPaused = false;
  const timer = setInterval(() => {
    periodCount += 1;
    const isPreparing = receivedBytes === 0;
    const isSlow = isPreparing ? periodCount >= preparationPeriods : periodBytes < minBytesPerPeriod && !wasPaused;
    const isSlowIfContended = isPreparing
      ? periodCount >= preparationPeriods / 2
      : periodBytes < minBytesPerContendedPeriod && !wasPaused;
    periodBytes = 0;
    wasPaused = false;
    if (isSlow) body.destroy(createFetchError({ kind: 'timed-out' }));
    else if (isSlowIfContended && isContended()) body.destroy(new FetchPreempted());
  }, periodMs);
  return {
    count(bytes) {
      receivedBytes += bytes;
      periodBytes += bytes;
    },
    pauseDuring(work) {
      wasPaused = true;
      // Also marks the period in which the pause ends.
      return work.finally(() => {
        wasPaused = true;
      });
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Returns the refs as lines of `packed-refs`, ordered by name. Leaves out branches that are not commits. `a` and `a/b` cannot both
 * be refs: leaves out the longer one. Throws `GitError` if the pack lacks an object.
 */
async function toRefLines(
  git: Git,
  draft: Repository,
  refs: ReadonlyMap<string, string>,
  omitted: string[],
): Promise<Buffer[]> {
  // With this replacement, `a` is directly followed by all `a/...`.
  const toComparable = (ref: string) => ref.replaceAll('/', '\0');
  const names = (await sortCooperatively([...refs.keys()].map(toComparable), compareTexts)).map((name) =>
    name.replaceAll('\0', '/'),
  );
  const flags = ['--batch-check=%(objecttype)'];
  const input = names.map((ref) => `${refs.get(ref)}\n`).join('');
  const result = await runGit(git, draft, 'cat-file', { flags }, { input });
  if (!result.ok) throw new GitError('cat-file', result.failure);
  const types = result.stdout.toString('latin1').split('\n');
  const storedRefs: Buffer[] = [];
  // The initial value matches nothing: no ref begins with `//`.
  let lastStoredRef = '/';
  for (const [index, ref] of names.entries()) {
    const type = types[index] ?? '';
    if (!OBJECT_TYPES.has(type)) throw createFetchError({ kind: 'missing-object', ref, oid: refs.get(ref)! });
    const canBeStored = !ref.startsWith(`${lastStoredRef}/`) && (type === 'commit' || !ref.startsWith(HEADS));
    if (canBeStored) {
      storedRefs.push(Buffer.from(ref));
      lastStoredRef = ref;
    } else if (omitted.length < MAX_OMITTED) omitted.push(ref);
  }
  const sorted = await sortCooperatively(storedRefs, Buffer.compare);
  return sorted.map((name) => Buffer.concat([Buffer.from(`${refs.get(name.toString())} `), name]));
}

const OBJECT_TYPES: ReadonlySet<string> = new Set(['commit', 'tag', 'tree', 'blob']);
const compareTexts = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
