import { createShares } from '#rate-limits/shared-budget.ts';
import { unavailable } from '../errors/http-error.ts';
import type { Incoming } from './incoming.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * Bytes of bodies that are in memory until their requests are answered: thousands of clients that send theirs slowly, or
 * wait with them for something, are no way to fill it.
 */
const HELD = { each: 64 * MEBIBYTE, all: 128 * MEBIBYTE };
const held = createShares(HELD);

/** Bytes of each body that are not counted: a small one passes whatever others hold. */
export const UNCOUNTED = 64 * 1024;

interface Holder {
  /** What it has taken of all that may be held, in bytes. */
  taken: number;
  /** What is in memory. */
  kept: number;
}
const holders = new WeakMap<Incoming, Holder>();

/** In seconds: a slow body takes longer than most work. */
const RETRY_AFTER = 10;

/** Smaller chunks are copied together: each would cost more than its bytes. */
const CHUNK = 4096;
const LARGEST_BLOCK = 64 * 1024;

/** What has come of a body so far. */
export interface HeldBody {
  /** Bytes. */
  readonly size: number;
  /** Keeps a chunk; refused with 503 where bodies hold too much already, for everybody or for this client's network. */
  push(chunk: Buffer): void;
  /** The chunks, some of them joined. */
  pieces(): Buffer[];
}

export function holdBody(request: Incoming): HeldBody {
  const pieces: Buffer[] = [];
  /** Small chunks are copied into it. */
  let block: Buffer | undefined;
  let filled = 0;
  let size = 0;

  const keep = <Piece extends Buffer>(piece: Piece): Piece => {
    hold(request, size, piece.length);
    pieces.push(piece);
    return piece;
  };
  const endBlock = () => {
    if (block !== undefined) pieces[pieces.length - 1] = block.subarray(0, filled);
    block = undefined;
  };
  const copy = (chunk: Buffer) => {
    if (block === undefined || filled + chunk.length > block.length) {
      endBlock();
      block = keep(Buffer.allocUnsafeSlow(Math.min(Math.max(size, CHUNK), LARGEST_BLOCK)));
      filled = 0;
    }
    chunk.copy(block, filled);
    filled += chunk.length;
  };
  return {
    get size() {
      return size;
    },
    push(chunk) {
      const first = size === 0;
      size += chunk.length;
      // The first is nearly always the whole body.
      if (first || chunk.length >= CHUNK) {
        endBlock();
        keep(chunk);
      } else copy(chunk);
    },
    pieces() {
      endBlock();
      return pieces;
    },
  };
}

function holderOf(request: Incoming): Holder {
  const known = holders.get(request);
  if (known !== undefined) return known;
  const holder = { taken: 0, kept: 0 };
  holders.set(request, holder);
  return holder;
}

function hold(request: Incoming, size: number, bytes: number): void {
  const holder = holderOf(request);
  holder.kept += bytes;
  if (size > UNCOUNTED) take(request, holder, holder.kept);
}

function take(request: Incoming, holder: Holder, bytes: number): void {
  if (bytes <= holder.taken) return;
  if (!held.take(request.clientAddress, bytes - holder.taken)) throw unavailable(RETRY_AFTER);
  holder.taken = bytes;
}

/** Takes what a body of this length holds before it comes; refused with 503 where there is not so much. */
export function reserve(request: Incoming, length: number): void {
  if (length > UNCOUNTED) take(request, holderOf(request), length);
}

/**
 * The same, but waits until there is so much. For those few who may hold what they have while they wait: what all of
 * these have, and have asked for, is less than there is (`readBytes`), so that one of them always comes to his end.
 */
export async function reserveInTime(request: Incoming, length: number): Promise<void> {
  const holder = holderOf(request);
  // Small chunks are joined in blocks, of which the last is not full.
  const missing = length + LARGEST_BLOCK - holder.taken;
  if (missing <= 0) return;
  await held.wait(request.clientAddress, missing, request.client);
  holder.taken += missing;
}

/** The body is whole: what it has taken and does not need is others' again. */
export function giveBackRest(request: Incoming): void {
  const holder = holders.get(request);
  if (holder === undefined || holder.taken <= holder.kept) return;
  held.giveBack(request.clientAddress, holder.taken - holder.kept);
  holder.taken = holder.kept;
}

/** The request is answered, or what it held is not in memory any more. */
export function letGo(request: Incoming): void {
  const holder = holders.get(request);
  if (holder === undefined) return;
  holders.delete(request);
  if (holder.taken > 0) held.giveBack(request.clientAddress, holder.taken);
}
