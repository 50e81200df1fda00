import { createYielder } from '#runtime/yielding.ts';

/** Maximum length of a text that is parsed in one call, in characters; that takes at most two milliseconds. */
const MAX_SYNC_LENGTH = 8_192;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Parses like `JSON.parse` without blocking: one mebibyte of small objects would take half a second. Parses members in batches
 * of some kilobytes and yields to other work between them; larger members are parsed recursively. The caller must have limited
 * the nesting depth.
 */
export async function parseJsonIncrementally(text: string): Promise<unknown> {
  if (text.length <= MAX_SYNC_LENGTH) return JSON.parse(text);
  const yieldIfDue = createYielder();
  let position = 0;

  function skipBlanks(): number {
    let code = text.charCodeAt(position);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++position);
    return code;
  }

  function skipRequired(code: number): void {
    if (skipBlanks() !== code) throwSyntaxError(text, position);
    position++;
  }

  /** Skips `code` if it is next; returns whether it was. */
  function skipIfNext(code: number): boolean {
    if (skipBlanks() !== code) return false;
    position++;
    return true;
  }

  /** Parses the text from the current position to `end` and moves to `end`. */
  function parseUntil(end: number): unknown {
    const start = position;
    position = end;
    return JSON.parse(text.slice(start, end));
  }

  /** Returns the end of the string that begins at the current position. */
  async function findCurrentStringEnd(): Promise<number> {
    // Usually the string ends at the next quote, which indexOf finds fast.
    const quote = text.indexOf('"', position + 1);
    if (quote === -1) throwSyntaxError(text, text.length);
    if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
    let end = findStringEnd(text, position + 1);
    while (end < 0) {
      if (-end >= text.length) throwSyntaxError(text, text.length);
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      end = findStringEnd(text, -end);
    }
    return end;
  }

  async function parseValue(): Promise<unknown> {
    const code = skipBlanks();
    if (code === QUOTE) return parseUntil(await findCurrentStringEnd());
    if (code !== OPEN_ARRAY && code !== OPEN_OBJECT) return parseUntil(findWordEnd(text, position));
    position++;
    return code === OPEN_ARRAY ? parseArray() : parseObject();
  }

  /** Parses as many of the next members as fit into one batch; returns null if the first one is too long. */
  function parseBatch(open: '[' | '{', close: ']' | '}'): object | null {
    const code = skipBlanks();
    // A member is missing.
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT) throwSyntaxError(text, position);
    const end = findBatchEnd(text, position);
    if (end === -1) return null;
    const start = position;
    position = end;
    return JSON.parse(open + text.slice(start, end) + close);
  }

  async function parseArray(): Promise<unknown[]> {
    const items: unknown[] = [];
    if (skipIfNext(CLOSE_ARRAY)) return items;
    do {
      const batch = parseBatch('[', ']') as unknown[] | null;
      if (batch !== null) items.push(...batch);
      else items.push(await parseValue());
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
    } while (skipIfNext(COMMA));
    skipRequired(CLOSE_ARRAY);
    return items;
  }

  async function parseObject(): Promise<object> {
    const members: Record<string, unknown> = {};
    if (skipIfNext(CLOSE_OBJECT)) return members;
    do {
      const batch = parseBatch('{', '}') as Record<string, unknown> | null;
      if (batch !== null) for (const name of Object.keys(batch)) setMember(members, name, batch[name]);
      else setMember(members, await parseName(), await parseValue());
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
    } while (skipIfNext(COMMA));
    skipRequired(CLOSE_OBJECT);
    return members;
  }

  async function parseName(): Promise<string> {
    if (skipBlanks() !== QUOTE) throwSyntaxError(text, position);
    const name = parseUntil(await findCurrentStringEnd()) as string;
    skipRequired(COLON);
    return name;
  }

  const result = await parseValue();
  skipBlanks();
  if (position < text.length) throwSyntaxError(text, position);
  return result;
}

/** Sets a member, also one named `__proto__`. */
function setMember(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}

function throwSyntaxError(text: string, position: number): never {
  throw new SyntaxError(`Unexpected ${position < text.length ? `token at position ${position}` : 'end'} of JSON`);
}

/** Returns the end of a number or literal; its syntax is checked when it is parsed. */
function findWordEnd(text: string, start: number): number {
  let position = start;
  while (position < text.length && !isDelimiter(text.charCodeAt(position))) {
    position++;
    if (position - start > MAX_SYNC_LENGTH) throwSyntaxError(text, start);
  }
  return position;
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code === COLON || code <= 0x20;
}

/**
 * Returns the position after the closing quote of a string, searching from `start`. If it is not within the next batch,
 * returns the position to continue from as a negative number.
 */
function findStringEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + MAX_SYNC_LENGTH);
  let position = start;
  for (; position < limit; position++) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) return position + 1;
    if (code === BACKSLASH) position++;
  }
  return -position;
}

/** Returns the end of the last complete member within one batch from `start`, or -1 if there is none. */
function findBatchEnd(text: string, start: number): number {
  let depth = 0;
  let lastEnd = -1;
  for (let position = start; position < text.length && position - start <= MAX_SYNC_LENGTH; ) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = findStringEnd(text, position + 1);
      if (position < 0) return lastEnd;
      continue;
    }
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      if (depth === 0) return position;
      depth--;
    } else if (code === COMMA && depth === 0) lastEnd = position;
    position++;
  }
  return lastEnd;
}
