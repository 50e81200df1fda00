import { createYielder } from '#runtime/yielding.ts';

/** The longest text that is parsed at once, in characters; takes at most two milliseconds. */
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
  const giveWay = createYielder();
  let at = 0;

  function skipBlanks(): number {
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    return code;
  }

  function expect(code: number): void {
    if (skipBlanks() !== code) throwSyntaxError(text, at);
    at++;
  }

  /** Skips `code` if it is next; returns whether it was. */
  function passes(code: number): boolean {
    if (skipBlanks() !== code) return false;
    at++;
    return true;
  }

  /** Parses the text up to `end` and moves there. */
  function taken(end: number): unknown {
    const from = at;
    at = end;
    return JSON.parse(text.slice(from, end));
  }

  /** Returns the end of the string that begins here. */
  async function endOfLong(): Promise<number> {
    // Usually the string ends at the next quote, which indexOf finds fast.
    const quote = text.indexOf('"', at + 1);
    if (quote === -1) throwSyntaxError(text, text.length);
    if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
    let end = findStringEnd(text, at + 1);
    while (end < 0) {
      if (-end >= text.length) throwSyntaxError(text, text.length);
      const way = giveWay();
      if (way !== undefined) await way;
      end = findStringEnd(text, -end);
    }
    return end;
  }

  async function value(): Promise<unknown> {
    const code = skipBlanks();
    if (code === QUOTE) return taken(await endOfLong());
    if (code !== OPEN_ARRAY && code !== OPEN_OBJECT) return taken(findWordEnd(text, at));
    at++;
    return code === OPEN_ARRAY ? array() : object();
  }

  /** Parses as many of the next members as fit into one batch; returns null if the first one is too long. */
  function run(open: '[' | '{', close: ']' | '}'): object | null {
    const code = skipBlanks();
    // A member is missing.
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT) throwSyntaxError(text, at);
    const end = findRunEnd(text, at);
    if (end === -1) return null;
    const from = at;
    at = end;
    return JSON.parse(open + text.slice(from, end) + close);
  }

  async function array(): Promise<unknown[]> {
    const items: unknown[] = [];
    if (passes(CLOSE_ARRAY)) return items;
    do {
      const some = run('[', ']') as unknown[] | null;
      if (some !== null) items.push(...some);
      else items.push(await value());
      const way = giveWay();
      if (way !== undefined) await way;
    } while (passes(COMMA));
    expect(CLOSE_ARRAY);
    return items;
  }

  async function object(): Promise<object> {
    const members: Record<string, unknown> = {};
    if (passes(CLOSE_OBJECT)) return members;
    do {
      const some = run('{', '}') as Record<string, unknown> | null;
      if (some !== null) for (const name of Object.keys(some)) setMember(members, name, some[name]);
      else setMember(members, await name(), await value());
      const way = giveWay();
      if (way !== undefined) await way;
    } while (passes(COMMA));
    expect(CLOSE_OBJECT);
    return members;
  }

  async function name(): Promise<string> {
    if (skipBlanks() !== QUOTE) throwSyntaxError(text, at);
    const read = taken(await endOfLong()) as string;
    expect(COLON);
    return read;
  }

  const whole = await value();
  skipBlanks();
  if (at < text.length) throwSyntaxError(text, at);
  return whole;
}

/** Sets a member, also one named `__proto__`. */
function setMember(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}

function throwSyntaxError(text: string, at: number): never {
  throw new SyntaxError(`Unexpected ${at < text.length ? `token at position ${at}` : 'end'} of JSON`);
}

/** Returns the end of a number or literal; its syntax is checked when it is parsed. */
function findWordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) {
    at++;
    if (at - from > MAX_SYNC_LENGTH) throwSyntaxError(text, from);
  }
  return at;
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code === COLON || code <= 0x20;
}

/**
 * Returns the position after the closing quote of a string, searching from `from`. If it is not within the next batch, returns
 * the position to continue from as a negative number.
 */
function findStringEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + MAX_SYNC_LENGTH);
  let at = from;
  for (; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  return -at;
}

/** Returns the end of the last complete member within one batch from `from`, or -1 if there is none. */
function findRunEnd(text: string, from: number): number {
  let depth = 0;
  let last = -1;
  for (let at = from; at < text.length && at - from <= MAX_SYNC_LENGTH; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findStringEnd(text, at + 1);
      if (at < 0) return last;
      continue;
    }
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      if (depth === 0) return at;
      depth--;
    } else if (code === COMMA && depth === 0) last = at;
    at++;
  }
  return last;
}
