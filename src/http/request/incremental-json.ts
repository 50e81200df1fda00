import { givingWay } from '#runtime/concurrency-limiter.ts';

/** Parsed at once, in characters: a millisecond or two, whatever it holds. */
const PIECE = 8_192;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * What `JSON.parse` gives, and throws, for a text that may hold very much: a mebibyte of small objects takes it half a second.
 * Members are parsed some kilobytes at once, and others have their turns between them; what is larger is looked into.
 * How deep it is nested was looked at before: each level of what is large is a call.
 */
export async function parseInTurns(text: string): Promise<unknown> {
  if (text.length <= PIECE) return JSON.parse(text);
  const giveWay = givingWay();
  let at = 0;

  function skipBlanks(): number {
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    return code;
  }

  function expect(code: number): void {
    if (skipBlanks() !== code) fail(text, at);
    at++;
  }

  /** Whether `code` is there; then it is passed. */
  function passes(code: number): boolean {
    if (skipBlanks() !== code) return false;
    at++;
    return true;
  }

  /** Passes what ends there and parses it. */
  function taken(end: number): unknown {
    const from = at;
    at = end;
    return JSON.parse(text.slice(from, end));
  }

  /** Where the string ends that begins here, however long it is. */
  async function endOfLong(): Promise<number> {
    // Mostly at its first quote, which is found without a look at each character.
    const quote = text.indexOf('"', at + 1);
    if (quote === -1) fail(text, text.length);
    if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
    let end = lookForEnd(text, at + 1);
    while (end < 0) {
      if (-end >= text.length) fail(text, text.length);
      const way = giveWay();
      if (way !== undefined) await way;
      end = lookForEnd(text, -end);
    }
    return end;
  }

  async function value(): Promise<unknown> {
    const code = skipBlanks();
    if (code === QUOTE) return taken(await endOfLong());
    if (code !== OPEN_ARRAY && code !== OPEN_OBJECT) return taken(endOfWord(text, at));
    at++;
    return code === OPEN_ARRAY ? array() : object();
  }

  /** As many of the members that come next as are parsed at once; null: not even the first one is. */
  function run(open: '[' | '{', close: ']' | '}'): object | null {
    const code = skipBlanks();
    // Nothing stands where a member should.
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT) fail(text, at);
    const end = endOfRun(text, at);
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
      if (some !== null) for (const name of Object.keys(some)) put(members, name, some[name]);
      else put(members, await name(), await value());
      const way = giveWay();
      if (way !== undefined) await way;
    } while (passes(COMMA));
    expect(CLOSE_OBJECT);
    return members;
  }

  async function name(): Promise<string> {
    if (skipBlanks() !== QUOTE) fail(text, at);
    const read = taken(await endOfLong()) as string;
    expect(COLON);
    return read;
  }

  const whole = await value();
  skipBlanks();
  if (at < text.length) fail(text, at);
  return whole;
}

/** A member of that name is one like any other. */
function put(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}

function fail(text: string, at: number): never {
  throw new SyntaxError(`Unexpected ${at < text.length ? `token at position ${at}` : 'end'} of JSON`);
}

/** Where a number or word ends; whether it is one is told when it is parsed. None is longer than what is parsed at once. */
function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isEnd(text.charCodeAt(at))) {
    at++;
    if (at - from > PIECE) fail(text, from);
  }
  return at;
}

function isEnd(code: number): boolean {
  return code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code === COLON || code <= 0x20;
}

/**
 * Where a string ends of which a character begins at `from`, behind its quote; as a negative number where to look on, when it
 * doesn't in the next characters.
 */
function lookForEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + PIECE);
  let at = from;
  for (; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  return -at;
}

/** Where the last whole member ends of those that begin at `from` and are parsed at once; -1: there is none. */
function endOfRun(text: string, from: number): number {
  let depth = 0;
  let last = -1;
  for (let at = from; at < text.length && at - from <= PIECE; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = lookForEnd(text, at + 1);
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
