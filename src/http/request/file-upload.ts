import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { HttpError } from '../errors/http-error.ts';
import { assign, emptyRaw, LONGEST_NAME, type Raw } from '../parameters/brackets.ts';
import { flowingBody, mediaType, readMerged } from './body.ts';
import type { Incoming } from './incoming.ts';
import { brokenMultipart, PART_LIMITS } from './multipart.ts';

/** Fields beside a file are few and short. */
const LIMITS = { ...PART_LIMITS, parts: 100, fieldSize: 65_536 };

/** What came beside a file, and what was made of it; `made` is undefined where no file came. */
export interface FileUpload<T> {
  /** Those in front of the file, and behind it unless `take` was done before its end. */
  readonly fields: Raw;
  readonly made: T | undefined;
}

/**
 * A multipart body that brings one file, in the part `name`, which flows to `take` as it comes: it is never whole in memory.
 * Whatever ends early, sender or taker, ends the other; what is left of the body runs past. Other files are not looked at.
 * What is no multipart brings no file: it is read as any other body, which says what is wrong with it.
 */
export async function receiveFile<T>(
  request: Incoming,
  name: string,
  take: (file: Readable, about: { readonly filename: string; readonly fields: Raw }) => Promise<T>,
): Promise<FileUpload<T>> {
  if (mediaType(request) !== 'multipart') return { fields: await readMerged(request), made: undefined };
  const fields = emptyRaw();
  const parser = parserFor(request);
  const taken = Promise.withResolvers<void>();
  taken.promise.catch(() => {});
  let file: { readonly stream: Readable; readonly taking: Promise<T> } | undefined;
  parser.on('field', (field, value) => {
    if (field !== undefined && field.length <= LONGEST_NAME) assign(fields, field, value);
  });
  parser.on('file', (field, stream, filename) => {
    if (field !== name || file !== undefined) {
      stream.resume();
      return;
    }
    // Whoever takes it hears of its failure; nobody may take it any more.
    stream.on('error', () => {});
    const taking = take(stream, { filename: filename ?? '', fields });
    file = { stream, taking };
    taking.then(() => stream.readableEnded || taken.resolve(), taken.reject);
  });
  const body = flowingBody(request);
  try {
    await Promise.race([pipeline(body, parser), taken.promise]);
  } catch (error) {
    file?.stream.destroy(error as Error);
    await file?.taking.catch(() => {});
    if (error instanceof HttpError || request.client.gone || !isParsers(error)) throw error;
    throw brokenMultipart();
  } finally {
    body.destroy();
  }
  return { fields, made: await file?.taking };
}

function parserFor({ headers }: Incoming): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS });
  } catch {
    throw brokenMultipart();
  }
}

/** The parser's own errors have no code, those of connections and disks have. */
function isParsers(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === undefined;
}
