import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { badRequestText, bodyTooLarge } from '#http/errors/http-error.ts';
import { assign, emptyRaw, type Raw } from '#http/parameters/brackets.ts';
import { tooManyParameters } from '#http/request/body-limits.ts';
import { brokenMultipart, PART_LIMITS } from '#http/request/multipart.ts';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import type { Spool } from './spool-file.ts';
import { isContentName, longText } from './spooled-text.ts';
import { createUtf8Check } from './utf8-check.ts';

/** A field that is no content is kept in memory. */
const LONGEST_FIELD = 2 * 1024 * 1024;
/** All of them together. */
const MOST_FIELDS = 10 * 1024 * 1024;

/** What the parser puts in place of bytes that are not UTF-8, though some text may have it. */
const REPLACEMENT = '\ufffd';

/**
 * The fields of a multipart body of any size; those named `content` go to the spool on the way. Null: one of the parts
 * is a file.
 */
export async function divertMultipart(
  chunks: AsyncIterable<Buffer>,
  headers: BusboyHeaders,
  spool: Spool,
): Promise<Raw | null> {
  const fields: [name: string, value: unknown][] = [];
  const parser = createParser(headers);
  const utf8 = createUtf8Check();
  let isUtf8 = true;
  let hasFile = false;
  let hasReplaced = false;
  let size = 0;
  let spooling = Promise.resolve();
  const trouble = Promise.withResolvers<never>();
  trouble.promise.catch(() => {});
  parser.on('error', () => trouble.reject(brokenMultipart()));
  parser.on('partsLimit', () => trouble.reject(tooManyParameters()));
  parser.on('field', (name = '', value, _nameCut, valueCut) => {
    size += name.length + value.length;
    if (valueCut || size > MOST_FIELDS) trouble.reject(bodyTooLarge());
    else if (value.includes('\0') || name.includes('\0')) trouble.reject(badRequestText());
    else fields.push([name, value]);
    hasReplaced ||= value.includes(REPLACEMENT) || name.includes(REPLACEMENT);
  });
  parser.on('file', (name = '', stream, filename, _encoding, type) => {
    if (isFile(filename, type)) {
      hasFile = true;
      stream.resume();
      return;
    }
    const place = fields.push([name, '']) - 1;
    const before = spooling;
    spooling = before.then(async () => {
      fields[place] = [name, await spoolPart(stream, spool)];
    });
    spooling.catch(trouble.reject);
  });
  const finished = once(parser, 'finish');
  finished.catch(() => {});
  const giveWay = givingWay();
  for await (const chunk of chunks) {
    isUtf8 &&= utf8.push(chunk);
    await Promise.race([trouble.promise, parser.write(chunk) || once(parser, 'drain')]);
    await giveWay();
  }
  parser.end();
  await Promise.race([finished, trouble.promise]);
  await Promise.race([spooling, trouble.promise]);
  if (hasFile) return null;
  if (hasReplaced && !(isUtf8 && utf8.end())) throw badRequestText();
  const given = emptyRaw();
  for (const [name, value] of fields) assign(given, name, value);
  return given;
}

function createParser(headers: BusboyHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers,
      limits: { ...PART_LIMITS, fieldSize: LONGEST_FIELD, fileSize: Number.POSITIVE_INFINITY },
      // What is taken for a file can be streamed.
      isPartAFile: (name, type, filename) => isFile(filename, type) || isContentName(name ?? ''),
    });
  } catch {
    throw brokenMultipart();
  }
}

function isFile(filename: string | undefined, type: string | undefined): boolean {
  return filename !== undefined || type === 'application/octet-stream';
}

async function spoolPart(stream: Readable, spool: Spool) {
  const start = spool.size;
  const utf8 = createUtf8Check();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (!utf8.push(chunk) || chunk.includes(0)) throw badRequestText();
    await spool.append(chunk);
  }
  if (!utf8.end()) throw badRequestText();
  return longText(spool, start, spool.size);
}
