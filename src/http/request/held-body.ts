import { createShares } from '../../limits/shares.ts';
import { unavailable } from '../refusals/refusal.ts';
import type { Incoming } from './incoming.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * Bytes of bodies that are in memory until their requests are answered: thousands of clients that send theirs slowly, or
 * wait with them for something, are no way to fill it.
 */
const held = createShares({ each: 64 * MEBIBYTE, all: 128 * MEBIBYTE });
const holders = new WeakMap<Incoming, number>();

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
    hold(request, piece.length);
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
      // The first is nearly always the whole body.
      if (size === 0 || chunk.length >= CHUNK) {
        endBlock();
        keep(chunk);
      } else copy(chunk);
      size += chunk.length;
    },
    pieces() {
      endBlock();
      return pieces;
    },
  };
}

function hold(request: Incoming, bytes: number): void {
  if (!held.take(request.clientAddress, bytes)) throw unavailable(RETRY_AFTER);
  holders.set(request, (holders.get(request) ?? 0) + bytes);
}

/** The request is answered, or what it held is not in memory any more. */
export function letGo(request: Incoming): void {
  const bytes = holders.get(request);
  if (bytes === undefined) return;
  holders.delete(request);
  held.giveBack(request.clientAddress, bytes);
}
