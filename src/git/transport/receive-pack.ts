import { randomBytes } from 'node:crypto';
import { type Duplex, Readable, type Writable } from 'node:stream';
import type { Git } from '../git.ts';
import type { GitFailure } from '../process/failures.ts';
import { type ProcessExit, readGitOutput, spawnGit } from '../process/spawn.ts';
import { pipeOutput, pipeToStdin } from '../process/stream-pipes.ts';
import { isServerRef } from '../ref-names.ts';
import { ZERO_ID } from '../refs/refs.ts';
import { type RefChange, syncRefs } from '../refs/update-refs.ts';
import type { Repository } from '../repository.ts';
import { getInternalDirectory } from '../storage/storage.ts';
import { createHookReader, ensureHooks, getHooksDirectory, type HookMessage, InvalidHookMessage } from './hooks.ts';

/**
 * Environment variables (`env`) with which other git functions can read the objects of a push before it is accepted.
 */
export type Quarantine = Readonly<Record<string, string>>;

export interface PushRequest {
  /** All refs that the client wants to change, except refs that only the server makes; none has moved yet. */
  readonly changes: readonly RefChange[];
  readonly quarantine: Quarantine;
  /** `git push -o <text>`. */
  readonly pushOptions: readonly string[];
}

/** Decision about a whole push. `refuse`: the reason; git clients show each of its lines after `GitLab: `. */
export type ReceiveVerdict = 'accept' | { readonly refuse: string };

export interface ReceiveOptions {
  /** The decoded body of the client's POST. */
  input: Readable;
  /** Stream for git's response. It is ended when the callback for moved refs has settled. */
  output: Writable;
  /** Called before any ref moves. An error rejects the push and is rethrown by `receivePack` when git has exited. */
  check(push: PushRequest): Promise<ReceiveVerdict>;
  /**
   * Called with the refs that have moved, once for each accepted push, even if there are none (git may reject a ref
   * that moved meanwhile). The client waits for it and shows the lines that it returns.
   */
  afterMove(moved: readonly RefChange[]): Promise<readonly string[]>;
  env?: Readonly<Record<string, string>>;
  /** Milliseconds without output after which the client gets a packet. */
  keepAliveMs?: number;
}

export interface ReceiveResult {
  readonly changes: readonly RefChange[];
  readonly movedRefs: readonly RefChange[];
  /** Null if the client changed nothing or its pack was broken; then nothing has moved. */
  readonly verdict: ReceiveVerdict | null;
  /** Failure of git, for the log; the client has been informed. */
  readonly failure: GitFailure | null;
}

/**
 * Handles a push over smart HTTP (contract/repository.md §5). Refs change only after `check` has seen all of them. The
 * repository must exist. If the client disconnects before its pack is complete, nothing changes; after that the push
 * continues.
 */
export async function receivePack(git: Git, repository: Repository, options: ReceiveOptions): Promise<ReceiveResult> {
  const hooks = getHooksDirectory(getInternalDirectory(git));
  await ensureHooks(hooks);
  const { header, body } = await readPushHeader(options.input);
  const secret = randomBytes(16).toString('hex');
  const child = spawnGit(
    git,
    repository,
    'receive-pack',
    { flags: ['--stateless-rpc'], args: [repository.directory] },
    {
      env: { ...options.env, HEARTH_PUSH: secret },
      config: { 'core.hooksPath': hooks, ...(header.hasManyRefs && SYNC_REFS_LATER) },
      pipes: 2,
    },
  );
  const [messagePipe, verdictPipe] = child.pipes as [Duplex, Duplex];
  pipeToStdin(body, child.stdin);
  const stopKeepAlives = header.hasSideBand
    ? sendKeepAlives({ stdout: child.stdout, client: options.output, input: body, intervalMs: options.keepAliveMs })
    : () => {};
  const outputSent = pipeOutput(child.stdout, options.output);
  let outcome: HookOutcome;
  try {
    outcome = await handleHooks(
      git,
      repository,
      {
        readMessage: createHookReader(messagePipe, secret),
        verdictPipe,
        exit: child.done,
        syncsRefs: !header.hasManyRefs,
      },
      options,
    );
  } catch (error) {
    // A hook that reads end of file instead of a verdict rejects the push.
    verdictPipe.destroy();
    throw error;
  } finally {
    // A hook that is still writing must not wait for a reader.
    messagePipe.destroy();
    const exit = await child.done;
    await outputSent;
    stopKeepAlives();
    options.output.end();
    if (!exit.ok) git.log('git push failed', { repository: repository.directory, failure: exit.failure });
  }
  const exit = await child.done;
  return { ...outcome, failure: exit.ok ? null : exit.failure };
}

type HookOutcome = Omit<ReceiveResult, 'failure'>;

interface HookChannel {
  readonly readMessage: () => Promise<HookMessage | null>;
  readonly verdictPipe: Writable;
  readonly exit: Promise<ProcessExit>;
  /** Whether git syncs each ref that it moves. */
  readonly syncsRefs: boolean;
}

/**
 * All components but refs, which git would sync one after the other. A component with a minus is removed from git's
 * defaults only: `all,-reference` contains refs.
 */
const SYNC_REFS_LATER = { 'core.fsync': '-reference,objects,derived-metadata,index' };

async function handleHooks(
  git: Git,
  repository: Repository,
  { readMessage, verdictPipe, exit, syncsRefs }: HookChannel,
  options: ReceiveOptions,
): Promise<HookOutcome> {
  const message = await readMessageOrRefusal(readMessage);
  if (message === null) return { changes: [], movedRefs: [], verdict: null };
  if ('refuse' in message) {
    refuse(verdictPipe, message.refuse);
    return { changes: [], movedRefs: [], verdict: message };
  }
  const { pushOptions, environment } = message;
  // git rejects changes of refs that only the server may change, even if the verdict is `accept`.
  const changes = message.changes.filter(({ ref }) => !isServerRef(ref));
  const verdict = await options.check({ changes, pushOptions, quarantine: parseQuarantine(environment) });
  if (verdict !== 'accept') {
    refuse(verdictPipe, verdict.refuse);
    return { changes, movedRefs: [], verdict };
  }
  verdictPipe.write('accept\n');
  // Without a message from post-receive nothing has moved, even if a ref has the new id. Only if git crashed, the refs
  // show what has moved.
  const postReceiveMessage = await readMessage().catch(() => null);
  const moved = postReceiveMessage?.changes ?? ((await exit).ok ? [] : await listMovedRefs(git, repository, changes));
  if (!syncsRefs) await syncRefs(repository, moved);
  const lines = await options.afterMove(moved);
  verdictPipe.end(`accept\n${lines.map((line) => `${line.replace(/\p{Cc}/gu, '')}\n`).join('')}`);
  return { changes, movedRefs: moved, verdict };
}

async function readMessageOrRefusal(
  readMessage: () => Promise<HookMessage | null>,
): Promise<HookMessage | { refuse: string } | null> {
  try {
    return await readMessage();
  } catch (error) {
    if (error instanceof InvalidHookMessage) return { refuse: error.message };
    throw error;
  }
}

function refuse(verdictPipe: Writable, text: string): void {
  const lines = text.split('\n').map((line) => `GitLab: ${line}\n`);
  verdictPipe.end(`refuse\n${lines.join('')}`);
}

function parseQuarantine(environment: Readonly<Record<string, string>>): Quarantine {
  const { GIT_OBJECT_DIRECTORY, GIT_ALTERNATE_OBJECT_DIRECTORIES } = environment;
  // A push without a pack (only deletions) has no quarantine.
  if (GIT_OBJECT_DIRECTORY === undefined || GIT_OBJECT_DIRECTORY === '') return {};
  return {
    GIT_OBJECT_DIRECTORY,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: GIT_ALTERNATE_OBJECT_DIRECTORIES ?? '',
  };
}

async function listMovedRefs(
  git: Git,
  repository: Repository,
  changes: readonly RefChange[],
): Promise<readonly RefChange[]> {
  const flags = ['--format=%(objectname) %(refname)'];
  const output = await readGitOutput(git, repository, 'for-each-ref', { flags, args: ['refs/'] });
  const idsByRef = new Map<string, string>();
  for (const line of output.toString('utf8').split('\n')) idsByRef.set(line.slice(41), line.slice(0, 40));
  return changes.filter((change) => (idsByRef.get(change.ref) ?? ZERO_ID) === change.newId);
}

/** A packet of band 1 without data, as git itself sends it. */
const KEEP_ALIVE = Buffer.from('0005\x01', 'latin1');

/** Milliseconds without output after which a waiting client gets a packet: networks drop silent connections. */
const KEEP_ALIVE_MS = 5_000;

interface KeepAliveOptions {
  /** The output of git in packets. */
  readonly stdout: Readable;
  readonly client: Writable;
  /** The body of the request. Nothing is sent before its end, because clients read the response afterwards. */
  readonly input: Readable;
  readonly intervalMs?: number | undefined;
}

/** Sends packets to the client of a push while git sends nothing. Returns a function that stops this. */
function sendKeepAlives({ stdout, client, input, intervalMs = KEEP_ALIVE_MS }: KeepAliveOptions): () => void {
  const packets = createPacketTracker();
  let isIdle = false;
  stdout.prependListener('data', (chunk: Buffer) => {
    isIdle = false;
    packets.add(chunk);
  });
  const timer = setInterval(() => {
    if (isIdle && input.readableEnded && packets.isBetweenPackets() && !client.destroyed && !client.writableNeedDrain)
      client.write(KEEP_ALIVE);
    isIdle = true;
  }, intervalMs);
  return () => clearInterval(timer);
}

/** Follows the packets of a stream. Another packet may be inserted only between two of them. */
function createPacketTracker() {
  let header = '';
  let remainingBytes = 0;
  let hasEnded = false;
  return {
    add(chunk: Buffer): void {
      for (let offset = 0; offset < chunk.length; ) {
        if (remainingBytes > 0) {
          const skipped = Math.min(remainingBytes, chunk.length - offset);
          remainingBytes -= skipped;
          offset += skipped;
          continue;
        }
        const takenBytes = Math.min(4 - header.length, chunk.length - offset);
        header += chunk.toString('latin1', offset, offset + takenBytes);
        offset += takenBytes;
        if (header.length < 4) return;
        const length = Number.parseInt(header, 16);
        header = '';
        // A flush packet ends the result.
        if (length >= 4) remainingBytes = length - 4;
        else hasEnded = true;
      }
    },
    isBetweenPackets: () => remainingBytes === 0 && header === '' && !hasEnded,
  };
}

/** The start of a push: the commands, each a packet, before the pack. */
interface PushHeader {
  /** Whether the push changes more than `MANY_REFS` refs. */
  readonly hasManyRefs: boolean;
  /** Whether the result is sent in bands, so that other packets may precede it. */
  readonly hasSideBand: boolean;
}

/** Number of refs above which one sync of all costs less than one for each ref. */
const MANY_REFS = 10;

/** Maximum bytes that are read into memory. The number of commands has no limit, so longer ones are left to git. */
const MAX_HEADER_BYTES = 64 * 1024;

const UNKNOWN_HEADER: PushHeader = { hasManyRefs: false, hasSideBand: false };

/**
 * Reads the start of a push. Returns it with a stream of the whole body, which fails if the client disconnects. A body in
 * another format, and one whose first commands are longer than `MAX_HEADER_BYTES`, is left to git.
 */
export async function readPushHeader(
  input: Readable,
): Promise<{ readonly header: PushHeader; readonly body: Readable }> {
  const chunks = input[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  let start: Buffer = Buffer.alloc(0);
  let header: PushHeader | null = null;
  let failure: unknown = null;
  try {
    while (header === null) {
      const { value, done } = await chunks.next();
      if (done) break;
      start = Buffer.concat([start, value]);
      header = parseHeader(start) ?? (start.length < MAX_HEADER_BYTES ? null : UNKNOWN_HEADER);
    }
  } catch (error) {
    failure = error;
  }
  async function* readBody(): AsyncGenerator<Buffer> {
    yield start;
    if (failure !== null) throw failure;
    yield* chunks;
  }
  return { header: header ?? UNKNOWN_HEADER, body: Readable.from(readBody(), { objectMode: false }) };
}

/** Returns the header, or null if more bytes are needed. */
function parseHeader(bytes: Buffer): PushHeader | null {
  let refCount = 0;
  let hasSideBand = false;
  for (let offset = 0; offset + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', offset, offset + 4), 16);
    // A flush packet ends the commands.
    if (length === 0) return { hasManyRefs: false, hasSideBand };
    // Also true for NaN, which is not a packet.
    if (!(length >= 4)) return UNKNOWN_HEADER;
    if (offset + length > bytes.length) return null;
    const packet = bytes.toString('latin1', offset + 4, offset + length);
    if (/^[0-9a-f]{40} [0-9a-f]{40} /.test(packet)) {
      if (refCount === 0) {
        const capabilities = packet.slice(packet.indexOf('\0') + 1).trim();
        hasSideBand = packet.includes('\0') && capabilities.split(' ').includes('side-band-64k');
      }
      refCount++;
    }
    if (refCount > MANY_REFS) return { hasManyRefs: true, hasSideBand };
    offset += length;
  }
  return null;
}
