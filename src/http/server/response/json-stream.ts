import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { LongText } from '#database/long-texts.ts';
import { estimateHeapSize } from '#runtime/heap-size.ts';
import { createYielder } from '#runtime/yielding.ts';
import { StreamedText } from '#text/streamed-text.ts';
import { endsInHighSurrogate } from '#text/trim.ts';

/** Maximum length of JSON that is built without yielding to the event loop, in characters; most responses are much shorter. */
const MAX_IMMEDIATE_LENGTH = 2 ** 18;

/** Maximum length of JSON that is built as one text, in characters. */
const MAX_SINGLE_TEXT = 4 * 2 ** 20;

/** Maximum number of rows in a list of an object; an object with a longer list is written row by row. */
const MAX_INLINE_ROWS = 100;

/** JSON that is too long to be built as one text. */
export interface LongJson {
  /** Returns the SHA-1 of the JSON. The JSON is built for this and again when it is sent. */
  hash(): Promise<string>;
  /** Builds the JSON row by row while it is sent, at the pace of the client. A `LongText` may have changed since `hash`. */
  stream(): Readable;
  /** Heap size in bytes of the values from which the JSON is built. */
  readonly heapSize: number;
  /** Releases the streamed texts of the JSON, if `stream` is not called. */
  discard(): void;
}

/**
 * Returns the JSON of a response as one text, or as `LongJson` to be built row by row: a hundred descriptions of one
 * mebibyte must neither be in memory together nor block the event loop. Longer JSON is built in several turns. A `LongText`
 * is read when it is written.
 */
export function toJson(value: unknown): string | Promise<string | LongJson> {
  const { segments, suffix } = toSegments(value);
  const texts: string[] = [];
  let length = 0;
  for (const segment of segments) {
    const text = formatSegment(segment);
    length += text.length;
    if (text instanceof ChunkedJson || length > MAX_IMMEDIATE_LENGTH)
      return continueJson({ texts, segments, suffix }, text, length);
    texts.push(text);
  }
  return texts.join('') + suffix;
}

/** Continues after `texts` with the next text, which is written already; `length` includes it. */
async function continueJson(
  { texts, segments, suffix }: PartlyWrittenJson & { readonly texts: string[] },
  nextText: string | ChunkedJson,
  length: number,
): Promise<string | LongJson> {
  const yieldIfDue = createYielder();
  let text = nextText;
  for (let totalLength = length; !(text instanceof ChunkedJson) && totalLength <= MAX_SINGLE_TEXT; ) {
    texts.push(text);
    const segment = segments[texts.length];
    if (segment === undefined) return texts.join('') + suffix;
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    text = formatSegment(segment);
    totalLength += text.length;
  }
  return createLongJson({ texts, segments, suffix }, text instanceof JsonWithPendingTexts ? text.streamed : []);
}

async function createLongJson(json: PartlyWrittenJson, streamed: readonly StreamedText[]): Promise<LongJson> {
  const discard = () => {
    for (const text of streamed) text.discard();
  };
  return {
    heapSize: await estimateJsonHeapSize(json),
    hash: () => hashJson(json),
    // A stream that is destroyed before it is read never starts its generator.
    stream: () => Readable.from(writeChunks(json), { objectMode: false }).once('close', discard),
    discard,
  };
}

/** A row, and the JSON text before it. */
interface JsonSegment {
  readonly prefix: string;
  readonly row: unknown;
}

interface SegmentedJson {
  readonly segments: readonly JsonSegment[];
  readonly suffix: string;
}

function toSegments(value: unknown): SegmentedJson {
  if (Array.isArray(value)) return toListSegments(value);
  if (isLargeObject(value)) return toObjectSegments(value as object);
  return { segments: [{ prefix: '', row: value }], suffix: '' };
}

function isLargeObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (Array.isArray(member) && member.length > MAX_INLINE_ROWS) return true;
    if (typeof member === 'string' && member.length > MAX_SINGLE_TEXT) return true;
  }
  return false;
}

function toListSegments(rows: readonly unknown[], open = '['): SegmentedJson {
  return {
    segments: rows.map((row, index) => ({ prefix: index === 0 ? open : ',', row })),
    suffix: rows.length === 0 ? `${open}]` : ']',
  };
}

function toObjectSegments(value: object): SegmentedJson {
  const segments: JsonSegment[] = [];
  let prefix = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    prefix += `${JSON.stringify(key)}:`;
    if (Array.isArray(member)) {
      const list = toListSegments(member, `${prefix}[`);
      for (const segment of list.segments) segments.push(segment);
      prefix = list.suffix;
    } else {
      segments.push({ prefix, row: member });
      prefix = '';
    }
    prefix += ',';
  }
  return { segments, suffix: `${prefix.slice(0, -1)}}` };
}

/** `texts` are the JSON texts of the first segments, which are built already. */
interface PartlyWrittenJson extends SegmentedJson {
  readonly texts: readonly string[];
}

/** Returns the size in bytes of the rows and of the texts that are written already. */
async function estimateJsonHeapSize({ texts, segments }: PartlyWrittenJson): Promise<number> {
  const yieldIfDue = createYielder();
  let size = 0;
  for (const [index, segment] of segments.entries()) {
    size += estimateHeapSize(segment) + (index < texts.length ? estimateHeapSize(texts[index]) : 0);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return size;
}

async function hashJson(json: PartlyWrittenJson): Promise<string> {
  const hash = createHash('sha1');
  for await (const part of writeChunks(json, true)) hash.update(part);
  return hash.digest('hex');
}

/** The length of a chunk in characters; shorter chunks cost more to send than to build. */
const CHUNK_LENGTH = 65_536;

/** Yields the JSON in chunks. With `forHash`, ids replace the content of streamed texts. */
async function* writeChunks({ texts, segments, suffix }: PartlyWrittenJson, forHash = false): AsyncGenerator<string> {
  const yieldIfDue = createYielder();
  let bufferedText = '';
  for (let index = 0; index < segments.length; index++) {
    const text = texts[index] ?? formatSegment(segments[index]!);
    if (text instanceof ChunkedJson) {
      yield bufferedText;
      bufferedText = '';
      for await (const part of text.chunks(forHash)) {
        yield part;
        const pause = yieldIfDue();
        if (pause !== undefined) await pause;
      }
    } else bufferedText += text;
    if (bufferedText.length >= CHUNK_LENGTH) {
      yield bufferedText;
      bufferedText = '';
    }
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  yield bufferedText + suffix;
}

/** Returns the JSON of a segment. As in an array, undefined becomes null. */
function formatSegment({ prefix, row }: JsonSegment): string | ChunkedJson {
  if (typeof row === 'string' && row.length > MAX_SINGLE_TEXT) return new LongString(prefix, row);
  pendingTexts = [];
  const json = prefix + JSON.stringify(row ?? null);
  return pendingTexts.length === 0 ? json : new JsonWithPendingTexts(json, pendingTexts);
}

/** Random text that no row contains. It is the placeholder for a `LongText` or `StreamedText` in the JSON. */
const PLACEHOLDER = randomUUID();
const PLACEHOLDER_JSON = JSON.stringify(PLACEHOLDER);

/** The long texts of the JSON that is being built, in their order. */
let pendingTexts: PendingText[] = [];

type PendingText = LongText<unknown> | StreamedText;

for (const { prototype } of [LongText, StreamedText]) {
  Object.assign(prototype, {
    toJSON(this: PendingText) {
      pendingTexts.push(this);
      return PLACEHOLDER;
    },
  });
}

/** JSON that is built in chunks. */
abstract class ChunkedJson {
  /** Approximate length in characters. */
  abstract readonly length: number;
  abstract chunks(forHash: boolean): AsyncGenerator<string>;
}

/** A text that is written in chunks. */
class LongString extends ChunkedJson {
  readonly #prefix: string;
  readonly #text: string;

  constructor(prefix: string, text: string) {
    super();
    this.#prefix = prefix;
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  async *chunks(): AsyncGenerator<string> {
    yield `${this.#prefix}"`;
    for (let offset = 0; offset < this.#text.length; ) {
      const slice = this.#text.slice(offset, offset + CHUNK_LENGTH);
      // Half a surrogate pair is escaped differently from the pair, so it moves to the next chunk.
      const end = offset + slice.length < this.#text.length && endsInHighSurrogate(slice) ? -1 : slice.length;
      const part = slice.slice(0, end);
      yield JSON.stringify(part).slice(1, -1);
      offset += part.length;
    }
    yield '"';
  }
}

/** JSON with placeholders for texts that are read when it is written. */
class JsonWithPendingTexts extends ChunkedJson {
  readonly #json: string;
  readonly #texts: readonly PendingText[];

  constructor(json: string, texts: readonly PendingText[]) {
    super();
    this.#json = json;
    this.#texts = texts;
  }

  get length(): number {
    return this.#json.length;
  }

  get streamed(): StreamedText[] {
    return this.#texts.filter((text) => text instanceof StreamedText);
  }

  async *chunks(forHash: boolean): AsyncGenerator<string> {
    let start = 0;
    for (const text of this.#texts) {
      const index = this.#json.indexOf(PLACEHOLDER_JSON, start);
      yield this.#json.slice(start, index);
      if (text instanceof LongText) yield JSON.stringify(await text.read());
      else if (forHash) yield text.id;
      else {
        // Base64 needs no escapes.
        yield '"';
        yield* text.chunks();
        yield '"';
      }
      start = index + PLACEHOLDER_JSON.length;
    }
    yield this.#json.slice(start);
  }
}
