import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { bodyTooLarge, invalidText } from '#http/errors/http-error.ts';
import { assignParameter, createEmptyParameters, type RawParameters } from '#http/parameters/brackets.ts';
import { tooManyParameters } from '#http/request/body-limits.ts';
import { invalidMultipart, PART_LIMITS } from '#http/request/multipart.ts';
import { createYielder } from '#runtime/yielding.ts';
import { createSpooledText, createUtf8Check, isContentName, type SpoolFile } from './spooled-text.ts';

/** Maximum size of one field in memory. */
const MAX_FIELD_BYTES = 2 * 1024 * 1024;
/** Maximum size of all fields in memory together. */
const MAX_FIELDS_BYTES = 10 * 1024 * 1024;

/** The parser puts this character in place of invalid UTF-8. Valid text may contain it too. */
const REPLACEMENT = '\ufffd';

/** Parses a multipart body of any size; fields named `content` are spooled. Returns null if a part is a file. */
export async function parseLargeMultipart(
  chunks: AsyncIterable<Buffer>,
  headers: BusboyHeaders,
  spool: SpoolFile,
): Promise<RawParameters | null> {
  const fields: [name: string, value: unknown][] = [];
  const parser = createParser(headers);
  const utf8 = createUtf8Check();
  let isUtf8 = true;
  let hasFile = false;
  let hasReplacement = false;
  let size = 0;
  let spooling = Promise.resolve();
  // The event handlers below reject this promise. The empty handler prevents an unhandled rejection when nothing waits for it.
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  parser.on('error', () => failure.reject(invalidMultipart()));
  parser.on('partsLimit', () => failure.reject(tooManyParameters()));
  parser.on('field', (name = '', value, _isNameTruncated, isValueTruncated) => {
    size += name.length + value.length;
    if (isValueTruncated || size > MAX_FIELDS_BYTES) failure.reject(bodyTooLarge());
    else if (name.includes('\0')) failure.reject(invalidText('body'));
    else if (value.includes('\0')) failure.reject(invalidText(name));
    else fields.push([name, value]);
    hasReplacement ||= value.includes(REPLACEMENT) || name.includes(REPLACEMENT);
  });
  parser.on('file', (name = '', stream, filename, _encoding, type) => {
    if (isFile(filename, type)) {
      hasFile = true;
      stream.resume();
      return;
    }
    const index = fields.push([name, '']) - 1;
    spooling = spooling.then(async () => {
      fields[index] = [name, await spoolPart(name, stream, spool)];
    });
    spooling.catch(failure.reject);
  });
  const parserFinished = once(parser, 'finish');
  parserFinished.catch(() => {});
  const yieldToOthers = createYielder();
  for await (const chunk of chunks) {
    isUtf8 &&= utf8.push(chunk);
    await Promise.race([failure.promise, parser.write(chunk) || once(parser, 'drain')]);
    await yieldToOthers();
  }
  parser.end();
  await Promise.race([parserFinished, failure.promise]);
  await Promise.race([spooling, failure.promise]);
  if (hasFile) return null;
  if (hasReplacement && !(isUtf8 && utf8.end())) throw invalidText('body');
  const parameters = createEmptyParameters();
  for (const [name, value] of fields) assignParameter(parameters, name, value);
  return parameters;
}

/** Returns a parser that streams contents and collects other fields in memory. */
function createParser(headers: BusboyHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers,
      limits: { ...PART_LIMITS, fieldSize: MAX_FIELD_BYTES, fileSize: Number.POSITIVE_INFINITY },
      // Busboy streams only parts that are treated as files.
      isPartAFile: (name, type, filename) => isFile(filename, type) || isContentName(name ?? ''),
    });
  } catch {
    throw invalidMultipart();
  }
}

/** Returns whether a part is a file, by the rules of Busboy. */
function isFile(filename: string | undefined, type: string | undefined): boolean {
  return filename !== undefined || type === 'application/octet-stream';
}

/** Writes a part to the spool file and returns it as a text. */
async function spoolPart(name: string, stream: Readable, spool: SpoolFile) {
  const start = spool.size;
  const utf8 = createUtf8Check();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (!utf8.push(chunk) || chunk.includes(0)) throw invalidText(name);
    await spool.append(chunk);
  }
  if (!utf8.end()) throw invalidText(name);
  return createSpooledText(spool, start, spool.size);
}
