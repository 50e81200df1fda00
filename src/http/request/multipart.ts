import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import { badRequestText, HttpError } from '../errors/http-error.ts';
import { assign, emptyRaw, type FilePart, LONGEST_NAME, type Raw } from '../parameters/brackets.ts';
import { tooManyParameters } from './body-limits.ts';

const MOST_PARTS = 50_000;

/** What each part may have of what is no value. `limits` of a `Busboy`: it looks at nothing beyond them. */
export const PART_LIMITS = { headerSize: 16_384, headerPairs: 32, parts: MOST_PARTS } as const;

/** How much is looked at before others have their turn. */
const STEP = 32_768;

/**
 * The fields and files of a multipart body. Linear in its length, and done with the first part that is refused: NUL or
 * what is not UTF-8 in a name or a field 400 (contract/conventions.md §1 stage 1), over 50,000 parts 400.
 */
export async function parseMultipart(bytes: Buffer, headers: BusboyHeaders): Promise<Raw> {
  const result = emptyRaw();
  const parser = createParser(headers, bytes.length);
  const finished = Promise.withResolvers<void>();
  const refuse = finished.reject;
  finished.promise.catch(() => {});
  const isBadText = badTexts(bytes);
  const put = (name: string | undefined, value: string | FilePart) => {
    // A part without a name says nothing to anybody.
    if (name === undefined) return;
    if (name.length > LONGEST_NAME || isBadText(name)) refuse(badRequestText());
    else if (typeof value === 'string' && isBadText(value)) refuse(badRequestText());
    else assign(result, name, value);
  };
  parser.on('field', (name, value) => put(name, value));
  parser.on('file', (name, stream, filename) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => refuse(brokenMultipart()));
    stream.on('end', () => put(name, { filename, bytes: Buffer.concat(chunks) }));
  });
  parser.on('partsLimit', () => refuse(tooManyParameters()));
  parser.on('error', () => refuse(brokenMultipart()));
  parser.on('finish', finished.resolve);
  const giveWay = givingWay();
  for (let at = 0; at < bytes.length; at += STEP) {
    await Promise.race([finished.promise, written(parser, bytes.subarray(at, at + STEP))]);
    await giveWay();
  }
  parser.end();
  await finished.promise;
  return result;
}

function createParser(headers: BusboyHeaders, fieldSize: number): BusboyInstance {
  try {
    return new Busboy({ headers, limits: { ...PART_LIMITS, fieldSize } });
  } catch {
    throw brokenMultipart();
  }
}

function written(parser: BusboyInstance, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => parser.write(bytes, () => resolve()));
}

export const brokenMultipart = () => new HttpError(400, { error: 'Invalid multipart body' });

/** Has a decoded text a NUL, or a replacement character though these bytes have none, so that it was not UTF-8? */
function badTexts(bytes: Buffer): (text: string) => boolean {
  let mayBeMeant: boolean | undefined;
  return (text) => {
    if (text.includes('\0')) return true;
    if (!text.includes('\ufffd')) return false;
    mayBeMeant ??= bytes.includes('\ufffd');
    return !mayBeMeant;
  };
}
