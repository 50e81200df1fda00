import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { createYielder } from '#runtime/yielding.ts';
import { HttpError, invalidText } from '../errors/http-error.ts';
import {
  assignParameter,
  createEmptyParameters,
  type FilePart,
  MAX_NAME_LENGTH,
  type RawParameters,
} from '../parameters/brackets.ts';
import { tooManyParameters } from './body-limits.ts';

const MAX_PARTS = 50_000;

/** Limits of part headers and of the number of parts, as `limits` of `Busboy`. */
export const PART_LIMITS = { headerSize: 16_384, headerPairs: 32, parts: MAX_PARTS } as const;

/** Number of bytes that are parsed before the event loop may run other work. */
const BATCH_BYTES = 32_768;

/**
 * Parses the fields and files of a multipart body in linear time. Throws 400 for NUL or invalid UTF-8 in a name or field
 * (contract/conventions.md §1 stage 1), and for more than 50,000 parts.
 */
export async function parseMultipart(bytes: Buffer, headers: BusboyHeaders): Promise<RawParameters> {
  const result = createEmptyParameters();
  const parser = createParser(headers, bytes.length);
  const finished = Promise.withResolvers<void>();
  const reject = finished.reject;
  finished.promise.catch(() => {});
  const isInvalidText = createInvalidTextCheck(bytes);
  const assignPart = (name: string | undefined, value: string | FilePart) => {
    // Parts without a name are ignored.
    if (name === undefined) return;
    if (name.length > MAX_NAME_LENGTH || isInvalidText(name)) reject(invalidText('body'));
    else if (typeof value === 'string' && isInvalidText(value)) reject(invalidText(name));
    else assignParameter(result, name, value);
  };
  parser.on('field', (name, value) => assignPart(name, value));
  parser.on('file', (name, stream, filename) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => reject(invalidMultipart()));
    stream.on('end', () => assignPart(name, { filename, bytes: Buffer.concat(chunks) }));
  });
  parser.on('partsLimit', () => reject(tooManyParameters()));
  parser.on('error', () => reject(invalidMultipart()));
  parser.on('finish', finished.resolve);
  const yieldIfDue = createYielder();
  for (let offset = 0; offset < bytes.length; offset += BATCH_BYTES) {
    const written = new Promise<void>((resolve) => {
      parser.write(bytes.subarray(offset, offset + BATCH_BYTES), () => resolve());
    });
    await Promise.race([finished.promise, written]);
    await yieldIfDue();
  }
  parser.end();
  await finished.promise;
  return result;
}

function createParser(headers: BusboyHeaders, fieldSize: number): BusboyInstance {
  try {
    return new Busboy({ headers, limits: { ...PART_LIMITS, fieldSize } });
  } catch {
    throw invalidMultipart();
  }
}

export const invalidMultipart = () => new HttpError(400, { error: 'Invalid multipart body' });

/**
 * Returns a function that tells whether a text has NUL or invalid UTF-8. The parser decodes invalid UTF-8 to replacement
 * characters, which are valid only if the bytes contain one too.
 */
function createInvalidTextCheck(bytes: Buffer): (text: string) => boolean {
  let hasReplacementCharacter: boolean | undefined;
  return (text) => {
    if (text.includes('\0')) return true;
    if (!text.includes('\ufffd')) return false;
    hasReplacementCharacter ??= bytes.includes('\ufffd');
    return !hasReplacementCharacter;
  };
}
