import { isUtf8 } from 'node:buffer';
import { createYielder } from '#runtime/yielding.ts';
import { HttpError } from '../errors/http-error.ts';
import {
  arrayTooLarge,
  MAX_DEPTH,
  MAX_ITEMS_PER_VALUE,
  MAX_NAME_BYTES,
  MAX_TOTAL_ITEMS,
  nestedTooDeeply,
  objectTooLarge,
  tooManyParameters,
} from './body-limits.ts';
import { parseJsonIncrementally } from './incremental-json.ts';

/** Limits of a JSON body. */
export interface JsonLimits {
  /** Maximum nesting depth. */
  readonly depth: number;
  /** Maximum number of items in one array or object. */
  readonly itemsPerValue: number;
  /** Maximum number of items in all arrays and objects together. */
  readonly totalItems: number;
  /** Maximum length of all member names together, in bytes. */
  readonly nameBytes: number;
}

/** Limits of bodies that become parameters. */
export const PARAMETER_LIMITS: JsonLimits = {
  depth: MAX_DEPTH,
  itemsPerValue: MAX_ITEMS_PER_VALUE,
  totalItems: MAX_TOTAL_ITEMS,
  nameBytes: MAX_NAME_BYTES,
};

/**
 * Parses a JSON body; returns undefined for a blank one. Throws 400 for invalid UTF-8, invalid JSON, and bodies over
 * the limits (by default those of contract/conventions.md §1 stage 3). Limits are checked before parsing, because 10 MiB
 * of brackets take seconds. Yields to other work meanwhile.
 */
export async function parseJson(bytes: Buffer, limits = PARAMETER_LIMITS): Promise<unknown> {
  if (!isUtf8(bytes)) throw invalidJson();
  const scanner = createScanner(bytes, limits);
  const yieldIfDue = createYielder();
  while (scanner.scanBatch()) await yieldIfDue();
  if (scanner.isBlank()) return undefined;
  // An unbalanced text is reported as invalid JSON, even if it is over a limit.
  if (!scanner.isBalanced()) throw invalidJson();
  if (scanner.error !== null) throw scanner.error;
  const text = bytes.toString('utf8');
  const pause = yieldIfDue();
  if (pause !== undefined) await pause;
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
  let position = 0;
  let isInString = false;
  let isBlank = true;
  let depth = 0;
  let totalItems = 0;
  /** The start and length of the last string, and the length of all names. */
  let stringStart = 0;
  let stringLength = 0;
  let namesLength = 0;
  let error: HttpError | null = null;
  /** By depth: number of items and opening bracket of each open array or object. */
  const itemCounts = [0];
  const brackets = [0];

  function openValue(bracket: number): void {
    if (depth < 0) return;
    depth++;
    if (depth > limits.depth) error ??= nestedTooDeeply();
    else {
      itemCounts[depth] = 0;
      brackets[depth] = bracket;
    }
  }

  function closeValue(): void {
    isBlank = false;
    depth--;
    // More brackets are closed than opened, so the text can never become balanced.
    if (depth < 0) depth = Number.NEGATIVE_INFINITY;
  }

  function countItem(): void {
    isBlank = false;
    if (depth < 1 || depth > limits.depth) return;
    const itemCount = ++itemCounts[depth]!;
    totalItems++;
    if (itemCount > limits.itemsPerValue) error ??= brackets[depth] === OPEN_ARRAY ? arrayTooLarge() : objectTooLarge();
    else if (totalItems > limits.totalItems) error ??= tooManyParameters();
  }

  /** Counts the first item of a value at its start; later items are counted by their commas. */
  function countFirstItem(): void {
    isBlank = false;
    if (itemCounts[depth] === 0) countItem();
  }

  return {
    scanBatch() {
      const end = Math.min(bytes.length, position + BATCH_BYTES);
      while (position < end) {
        const byte = bytes[position++]!;
        if (isInString) {
          if (byte === BACKSLASH) position++;
          else if (byte === QUOTE) {
            isInString = false;
            stringLength = position - stringStart;
          }
        } else if (byte === QUOTE) {
          countFirstItem();
          isInString = true;
          stringStart = position;
        } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
          countFirstItem();
          openValue(byte);
        } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) closeValue();
        else if (byte === COMMA) countItem();
        else if (byte === COLON) {
          namesLength += stringLength;
          if (namesLength > limits.nameBytes) error ??= objectTooLarge();
        } else if (byte > 0x20) countFirstItem();
      }
      return position < bytes.length;
    },
    get error() {
      return error;
    },
    isBalanced: () => depth === 0 && !isInString,
    isBlank: () => isBlank,
  };
}
