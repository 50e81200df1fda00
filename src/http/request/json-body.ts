import { isUtf8 } from 'node:buffer';
import { createYielder } from '#runtime/yielding.ts';
import { HttpError } from '../errors/http-error.ts';
import {
  arrayTooLarge,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_ITEMS,
  MAX_NAMES,
  nestedTooDeeply,
  objectTooLarge,
  tooManyParameters,
} from './body-limits.ts';
import { parseJsonIncrementally } from './incremental-json.ts';

/** Limits of a JSON body. */
export interface JsonLimits {
  readonly depth: number;
  /** `items`: per array or object; `elements`: in total. */
  readonly items: number;
  readonly elements: number;
  /** The length of all names together, in bytes. */
  readonly names: number;
}

/** Limits of bodies that become parameters. */
export const PARAMETER_LIMITS: JsonLimits = {
  depth: MAX_DEPTH,
  items: MAX_ITEMS,
  elements: MAX_ELEMENTS,
  names: MAX_NAMES,
};

/**
 * Parses a JSON body; returns undefined for a blank one. Throws 400 for invalid UTF-8, invalid JSON, and bodies over
 * the limits (by default those of contract/conventions.md §1 stage 3). Limits are checked before parsing, because 10 MiB
 * of brackets take seconds. Yields to other work meanwhile.
 */
export async function parseJson(bytes: Buffer, limits = PARAMETER_LIMITS): Promise<unknown> {
  if (!isUtf8(bytes)) throw invalidJson();
  const scanner = createScanner(bytes, limits);
  const giveWay = createYielder();
  while (scanner.scanBatch()) await giveWay();
  if (scanner.isBlank()) return undefined;
  // An unbalanced text is reported as invalid JSON, even if it is over a limit.
  if (!scanner.isBalanced()) throw invalidJson();
  if (scanner.error !== null) throw scanner.error;
  const text = bytes.toString('utf8');
  const way = giveWay();
  if (way !== undefined) await way;
  try {
    return await parseJsonIncrementally(text);
  } catch {
    throw invalidJson();
  }
}

const invalidJson = () => new HttpError(400, { error: 'Invalid JSON format' });

/** Counts the contents of a JSON text; recognizes only strings, brackets, colons and commas. */
interface JsonScanner {
  /** Scans the next batch; returns false at the end. */
  scanBatch(): boolean;
  /** The error for the first exceeded limit. */
  readonly error: HttpError | null;
  /** Whether every string and bracket is closed. */
  isBalanced(): boolean;
  isBlank(): boolean;
}

const BATCH_BYTES = 262_144;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

function createScanner(bytes: Buffer, limits: JsonLimits): JsonScanner {
  let at = 0;
  let isInString = false;
  let isBlank = true;
  let depth = 0;
  let total = 0;
  /** The start and length of the last string, and the length of all names. */
  let from = 0;
  let length = 0;
  let names = 0;
  let error: HttpError | null = null;
  /** The number of items and the opening bracket of each open value. */
  const items = [0];
  const kinds = [0];

  function open(kind: number): void {
    if (depth < 0) return;
    depth++;
    if (depth > limits.depth) error ??= nestedTooDeeply();
    else {
      items[depth] = 0;
      kinds[depth] = kind;
    }
  }

  function close(): void {
    isBlank = false;
    depth--;
    // More brackets closed than opened: never balanced again.
    if (depth < 0) depth = Number.NEGATIVE_INFINITY;
  }

  function count(): void {
    isBlank = false;
    if (depth < 1 || depth > limits.depth) return;
    const here = ++items[depth]!;
    total++;
    if (here > limits.items) error ??= kinds[depth] === OPEN_ARRAY ? arrayTooLarge() : objectTooLarge();
    else if (total > limits.elements) error ??= tooManyParameters();
  }

  /** Counts the first item of a value at its start; later items are counted by their commas. */
  function begin(): void {
    isBlank = false;
    if (items[depth] === 0) count();
  }

  return {
    scanBatch() {
      const end = Math.min(bytes.length, at + BATCH_BYTES);
      while (at < end) {
        const byte = bytes[at++]!;
        if (isInString) {
          if (byte === BACKSLASH) at++;
          else if (byte === QUOTE) {
            isInString = false;
            length = at - from;
          }
        } else if (byte === QUOTE) {
          begin();
          isInString = true;
          from = at;
        } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
          begin();
          open(byte);
        } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) close();
        else if (byte === COMMA) count();
        else if (byte === COLON) {
          names += length;
          if (names > limits.names) error ??= objectTooLarge();
        } else if (byte > 0x20) begin();
      }
      return at < bytes.length;
    },
    get error() {
      return error;
    },
    isBalanced: () => depth === 0 && !isInString,
    isBlank: () => isBlank,
  };
}
