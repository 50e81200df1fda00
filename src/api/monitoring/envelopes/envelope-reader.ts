import { isUtf8 } from 'node:buffer';
import { createChunkBuffer } from '#http/request/decoded-body.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';

// Incremental parser of envelopes (contract/monitoring.md §12). Pure.

/** Maximum size of one event or session, in bytes. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024;
/** Maximum size of all payloads of an envelope that are kept, in bytes. */
const MAX_TOTAL_BYTES = 50 * 1024 * 1024;
/** Maximum size of the envelope header and of an item header, in bytes. */
const MAX_LINE_BYTES = 16 * 1024;
/** Maximum number of items per envelope. SDKs usually send a few; SDKs that batch send up to a hundred. */
const MAX_ITEMS = 1_000;

/** An item of an envelope, with its payload. */
export interface EnvelopeItem {
  readonly type: string;
  readonly payload: Buffer;
}

type EnvelopeFailure = Failure<'invalidEnvelope' | 'tooLarge'>;

/**
 * Parses an envelope chunk by chunk. Keeps the header and the items of the requested types. Drops items that are too large.
 * After the failure `tooLarge`, the complete items are still valid.
 */
interface EnvelopeReader {
  /** The envelope header (first line), or null until it has been read. */
  readonly header: JsonObject | null;
  readonly items: readonly EnvelopeItem[];
  /** Number of items of the requested types that were dropped because they are too large. */
  readonly droppedCount: number;
  /** Total size of the payloads in memory. */
  readonly payloadBytes: number;
  /** Parses the next chunk. Must not be called again after a failure. */
  push(bytes: Buffer): EnvelopeFailure | null;
  /** Ends the envelope; returns a failure if it is incomplete. */
  end(): EnvelopeFailure | null;
}

const NEWLINE = 0x0a;

const failInvalid = () => fail('invalidEnvelope');
const failTooLarge = () => fail('tooLarge');

/** The part of the envelope that the parser expects next. */
type ParserState =
  | { readonly expects: 'header' | 'item' }
  /**
   * The payload of an item. `type` is null if the payload is skipped. `remaining` is the number of bytes left, or null if
   * the payload ends with the line.
   */
  | { readonly expects: 'payload'; type: string | null; remaining: number | null }
  /** The newline after a payload with a declared length. */
  | { readonly expects: 'newline' };

/** Creates a reader. `itemTypes`: types of the items whose payloads are kept; other payloads are skipped. */
export function createEnvelopeReader(itemTypes: ReadonlySet<string>): EnvelopeReader {
  let header: JsonObject | null = null;
  let state: ParserState = { expects: 'header' };
  let itemCount = 0;
  let payloadBytes = 0;
  let droppedCount = 0;
  const items: EnvelopeItem[] = [];
  const buffer = createChunkBuffer();

  /** Parses the buffered header line of the envelope or of an item. */
  function parseHeaderLine(): EnvelopeFailure | null {
    const line = buffer.take();
    // The envelope ends after its last item.
    if (state.expects === 'item' && line.length === 0) return null;
    const object = parseObject(line);
    if (object === null) return failInvalid();
    if (state.expects === 'header') {
      header = object;
      state = { expects: 'item' };
      return null;
    }
    const { type, length } = object;
    if (typeof type !== 'string' || !isLength(length)) return failInvalid();
    if (++itemCount > MAX_ITEMS) return failTooLarge();
    state = { expects: 'payload', type: itemTypes.has(type) ? type : null, remaining: length ?? null };
    // An empty payload is complete immediately.
    if (length === 0) endPayload({ expects: 'newline' });
    return null;
  }

  /** Adds the item unless it is skipped, and enters the next state. */
  function endPayload(nextState: ParserState): void {
    if (state.expects === 'payload' && state.type !== null) items.push({ type: state.type, payload: buffer.take() });
    state = nextState;
  }

  /** Buffers bytes of a header line. Fails if the line is too long. */
  function addToLine(bytes: Buffer): EnvelopeFailure | null {
    if (buffer.size + bytes.length > MAX_LINE_BYTES) return failTooLarge();
    buffer.add(bytes);
    return null;
  }

  /** Buffers bytes of a payload, unless it is skipped. Skips it from now on if it is too large. */
  function addToPayload(bytes: Buffer): void {
    if (state.expects !== 'payload' || state.type === null) return;
    // A declared length that is too large is known before the bytes arrive.
    const isTooLarge = buffer.size + Math.max(bytes.length, state.remaining ?? 0) > MAX_PAYLOAD_BYTES;
    if (isTooLarge || payloadBytes + bytes.length > MAX_TOTAL_BYTES) {
      payloadBytes -= buffer.take().length;
      droppedCount++;
      state.type = null;
    } else {
      buffer.add(bytes);
      payloadBytes += bytes.length;
    }
  }

  /** Consumes the start of `bytes`. Returns the number of consumed bytes, or a failure. */
  function consume(bytes: Buffer): number | EnvelopeFailure {
    if (state.expects === 'newline') {
      if (bytes[0] !== NEWLINE) return failInvalid();
      state = { expects: 'item' };
      return 1;
    }
    const remainingBytes = state.expects === 'payload' ? state.remaining : null;
    const newlineIndex = remainingBytes === null ? bytes.indexOf(NEWLINE) : -1;
    const isComplete = remainingBytes === null ? newlineIndex !== -1 : remainingBytes <= bytes.length;
    const part = isComplete ? bytes.subarray(0, remainingBytes ?? newlineIndex) : bytes;
    if (state.expects === 'payload') {
      addToPayload(part);
      if (state.remaining !== null) state.remaining -= part.length;
      if (isComplete) endPayload({ expects: remainingBytes === null ? 'item' : 'newline' });
    } else {
      const failure = addToLine(part) ?? (isComplete ? parseHeaderLine() : null);
      if (failure !== null) return failure;
    }
    // A line also consumes its newline.
    return part.length + (isComplete && remainingBytes === null ? 1 : 0);
  }

  return {
    get header() {
      return header;
    },
    items,
    get droppedCount() {
      return droppedCount;
    },
    get payloadBytes() {
      return payloadBytes;
    },
    push(bytes) {
      for (let offset = 0; offset < bytes.length; ) {
        if (state.expects === 'item' && buffer.size === 0) offset = skipBlanks(bytes, offset);
        const consumed = consume(bytes.subarray(offset));
        if (typeof consumed !== 'number') return consumed;
        offset += consumed;
      }
      return null;
    },
    end() {
      const failure = state.expects === 'header' || state.expects === 'item' ? parseHeaderLine() : null;
      if (failure !== null) return failure;
      if (state.expects !== 'payload') return null;
      if (state.remaining !== null) return failInvalid();
      endPayload({ expects: 'item' });
      return null;
    },
  };
}

/** Parses a JSON object; returns null if the line is invalid or not an object. */
function parseObject(line: Buffer): JsonObject | null {
  if (!isUtf8(line)) return null;
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns whether the value is a valid payload length; undefined and null mean that the payload ends with the line. */
function isLength(length: unknown): length is number | null | undefined {
  return length === undefined || length === null || (Number.isSafeInteger(length) && (length as number) >= 0);
}

/** Returns the index of the first byte that is not blank. Blank lines are not buffered, because there may be very many. */
function skipBlanks(bytes: Buffer, from: number): number {
  let index = from;
  while (index < bytes.length && isBlank(bytes[index]!)) index++;
  return index;
}

function isBlank(byte: number): boolean {
  return byte === NEWLINE || byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
