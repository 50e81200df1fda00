import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { LongText } from '#database/long-texts.ts';
import { estimateHeapSize } from '#runtime/heap-size.ts';
import { createYielder } from '#runtime/yielding.ts';
import { StreamedText } from '#text/streamed-text.ts';
import { endsInHighSurrogate } from '#text/trim.ts';

/** The longest JSON that is built as one text, in characters; nearly all responses are much shorter. */
const MAX_SINGLE_TEXT = 4 * 2 ** 20;

/** An object with a list of more rows than this is written row by row. */
const MAX_INLINE_ROWS = 100;

/** JSON that is too long to be built as one text. */
export interface LongJson {
  /** Returns the SHA-1 of the JSON. The JSON is built for this and again when it is sent. */
  hash(): Promise<string>;
  /** Builds the JSON row by row while it is sent, at the pace of the client. Long texts may be newer than the hash. */
  stream(): Readable;
  /** The bytes of the values that the JSON is built from. */
  readonly heapSize: number;
  /** Ends what the values hold, instead of `stream`. */
  discard(): void;
}

/**
 * Returns the JSON of a response as one text, or as `LongJson` to be built row by row: a hundred descriptions of one mebibyte
 * must neither be in memory at once nor block the event loop. A `LongText` is read when it is written.
 */
export function toJson(value: unknown): string | LongJson {
  const { segments, suffix: end } = toSegments(value);
  const texts: string[] = [];
  let length = 0;
  for (const segment of segments) {
    const text = segmentText(segment);
    length += text.length;
    if (text instanceof ChunkedJson || length > MAX_SINGLE_TEXT)
      return longJson({ texts, segments, suffix: end }, text instanceof JsonWithPendingTexts ? text.streamed : []);
    texts.push(text);
  }
  return texts.join('') + end;
}

function longJson(whole: PartlyWrittenJson, streamed: readonly StreamedText[]): LongJson {
  const discard = () => {
    for (const text of streamed) text.discard();
  };
  return {
    heapSize: estimateHeapSize(whole),
    hash: () => hashJson(whole),
    // A stream that is destroyed before it is read never starts its generator.
    stream: () => Readable.from(writeChunks(whole), { objectMode: false }).once('close', discard),
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
  if (Array.isArray(value)) return listSegments(value);
  if (isLargeObject(value)) return objectSegments(value as object);
  return { segments: [{ prefix: '', row: value }], suffix: '' };
}

function isLargeObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (Array.isArray(inner) && inner.length > MAX_INLINE_ROWS) return true;
    if (typeof inner === 'string' && inner.length > MAX_SINGLE_TEXT) return true;
  }
  return false;
}

function listSegments(rows: readonly unknown[], open = '['): SegmentedJson {
  return {
    segments: rows.map((row, index) => ({ prefix: index === 0 ? open : ',', row })),
    suffix: rows.length === 0 ? `${open}]` : ']',
  };
}

function objectSegments(value: object): SegmentedJson {
  const segments: JsonSegment[] = [];
  let before = '{';
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    before += `${JSON.stringify(key)}:`;
    if (Array.isArray(inner)) {
      const list = listSegments(inner, `${before}[`);
      for (const segment of list.segments) segments.push(segment);
      before = list.suffix;
    } else {
      segments.push({ prefix: before, row: inner });
      before = '';
    }
    before += ',';
  }
  return { segments, suffix: `${before.slice(0, -1)}}` };
}

/** `texts` are the JSON texts of the first segments, which are built already. */
interface PartlyWrittenJson extends SegmentedJson {
  readonly texts: readonly string[];
}

async function hashJson(whole: PartlyWrittenJson): Promise<string> {
  const hash = createHash('sha1');
  for await (const part of writeChunks(whole, true)) hash.update(part);
  return hash.digest('hex');
}

/** The length of a chunk in characters; shorter chunks cost more to send than to build. */
const CHUNK_LENGTH = 65_536;

/** With `forHash`, the ids of streamed texts stand for their content. */
async function* writeChunks(
  { texts, segments, suffix: end }: PartlyWrittenJson,
  forHash = false,
): AsyncGenerator<string> {
  const giveWay = createYielder();
  let buffered = '';
  for (let at = 0; at < segments.length; at++) {
    const text = texts[at] ?? segmentText(segments[at]!);
    if (text instanceof ChunkedJson) {
      yield buffered;
      buffered = '';
      for await (const part of text.chunks(forHash)) {
        yield part;
        const way = giveWay();
        if (way !== undefined) await way;
      }
    } else buffered += text;
    if (buffered.length >= CHUNK_LENGTH) {
      yield buffered;
      buffered = '';
    }
    const way = giveWay();
    if (way !== undefined) await way;
  }
  yield buffered + end;
}

/** Returns the JSON of a segment. As in an array, undefined becomes null. */
function segmentText({ prefix: before, row }: JsonSegment): string | ChunkedJson {
  if (typeof row === 'string' && row.length > MAX_SINGLE_TEXT) return new LongString(before, row);
  pendingTexts = [];
  const json = before + JSON.stringify(row ?? null);
  return pendingTexts.length === 0 ? json : new JsonWithPendingTexts(json, pendingTexts);
}

/** A random text that no row contains; the JSON has it where a `LongText` belongs. */
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
  /** Approximately, in characters. */
  abstract readonly length: number;
  abstract chunks(forHash: boolean): AsyncGenerator<string>;
}

/** A text that is written in chunks. */
class LongString extends ChunkedJson {
  readonly #before: string;
  readonly #text: string;

  constructor(before: string, text: string) {
    super();
    this.#before = before;
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  async *chunks(): AsyncGenerator<string> {
    yield `${this.#before}"`;
    for (let at = 0; at < this.#text.length; ) {
      const slice = this.#text.slice(at, at + CHUNK_LENGTH);
      // Half a surrogate pair is escaped differently from the pair, so it moves to the next chunk.
      const end = at + slice.length < this.#text.length && endsInHighSurrogate(slice) ? -1 : slice.length;
      const part = slice.slice(0, end);
      yield JSON.stringify(part).slice(1, -1);
      at += part.length;
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
    let from = 0;
    for (const text of this.#texts) {
      const at = this.#json.indexOf(PLACEHOLDER_JSON, from);
      yield this.#json.slice(from, at);
      if (text instanceof LongText) yield JSON.stringify(await text.read());
      else if (forHash) yield text.id;
      else {
        // Base64 needs no escapes.
        yield '"';
        yield* text.chunks();
        yield '"';
      }
      from = at + PLACEHOLDER_JSON.length;
    }
    yield this.#json.slice(from);
  }
}
