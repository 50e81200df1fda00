import { isUtf8 } from 'node:buffer';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import { badRequestText, HttpError } from '../errors/http-error.ts';
import {
  arrayTooLarge,
  hashTooLarge,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_ITEMS,
  MAX_NAMES,
  nestedTooDeeply,
  tooManyParameters,
} from './body-limits.ts';
import { parseInTurns } from './incremental-json.ts';

/** What a JSON body may hold. */
export interface JsonBounds {
  readonly depth: number;
  /** Of one array or object, and of all together. */
  readonly items: number;
  readonly elements: number;
  /** Of all names together, in bytes. */
  readonly names: number;
}

/** Of bodies that are merged into the parameters. */
export const MERGED_BOUNDS: JsonBounds = {
  depth: MAX_DEPTH,
  items: MAX_ITEMS,
  elements: MAX_ELEMENTS,
  names: MAX_NAMES,
};

/**
 * The value of a JSON body; undefined for one that is blank. 400 for what is not UTF-8 (as plain text), is no JSON, or is over
 * the bounds: those of contract/conventions.md §1 stage 3, or a family's own. What it holds is counted before it is parsed:
 * 10 MiB of brackets take seconds. Others have their turns meanwhile.
 */
export async function parseJson(bytes: Buffer, bounds = MERGED_BOUNDS): Promise<unknown> {
  if (!isUtf8(bytes)) throw badRequestText();
  const meter = createMeter(bytes, bounds);
  const giveWay = givingWay();
  while (meter.goOn()) await giveWay();
  if (meter.isBlank()) return undefined;
  // What never ends is no JSON, whatever else it is.
  if (!meter.isBalanced()) throw invalidJson();
  if (meter.refusal !== null) throw meter.refusal;
  const text = bytes.toString('utf8');
  const way = giveWay();
  if (way !== undefined) await way;
  try {
    return await parseInTurns(text);
  } catch {
    throw invalidJson();
  }
}

const invalidJson = () => new HttpError(400, { error: 'Invalid JSON format' });

/** Counts what a JSON text holds, without understanding more of it than strings, brackets and commas. */
interface Meter {
  /** Looks at the next part; false: there is none. */
  goOn(): boolean;
  /** The first bound that is broken. */
  readonly refusal: HttpError | null;
  /** Every string and every bracket has its end. */
  isBalanced(): boolean;
  isBlank(): boolean;
}

const STEP = 262_144;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

function createMeter(bytes: Buffer, bounds: JsonBounds): Meter {
  let at = 0;
  let isInString = false;
  let isBlank = true;
  let depth = 0;
  let total = 0;
  /** Where the last string began, how long it was, and how long all names were. */
  let from = 0;
  let length = 0;
  let names = 0;
  let refusal: HttpError | null = null;
  /** Of the values that are open: how many items they have so far, and with which bracket they began. */
  const items = [0];
  const kinds = [0];

  function open(kind: number): void {
    if (depth < 0) return;
    depth++;
    if (depth > bounds.depth) refusal ??= nestedTooDeeply();
    else {
      items[depth] = 0;
      kinds[depth] = kind;
    }
  }

  function close(): void {
    isBlank = false;
    depth--;
    // Closed more than was opened: never balanced again.
    if (depth < 0) depth = Number.NEGATIVE_INFINITY;
  }

  function count(): void {
    isBlank = false;
    if (depth < 1 || depth > bounds.depth) return;
    const here = ++items[depth]!;
    total++;
    if (here > bounds.items) refusal ??= kinds[depth] === OPEN_ARRAY ? arrayTooLarge() : hashTooLarge();
    else if (total > bounds.elements) refusal ??= tooManyParameters();
  }

  /** The first item of a value is counted where it begins, each later one by its comma. */
  function begin(): void {
    isBlank = false;
    if (items[depth] === 0) count();
  }

  return {
    goOn() {
      const end = Math.min(bytes.length, at + STEP);
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
          if (names > bounds.names) refusal ??= hashTooLarge();
        } else if (byte > 0x20) begin();
      }
      return at < bytes.length;
    },
    get refusal() {
      return refusal;
    },
    isBalanced: () => depth === 0 && !isInString,
    isBlank: () => isBlank,
  };
}
