import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { HttpError } from '../errors/http-error.ts';
import { assignParameter, createEmptyParameters, MAX_NAME_LENGTH, type RawParameters } from '../parameters/brackets.ts';
import { createBodyStream, getMediaType, readBodyParameters } from './body.ts';
import type { IncomingRequest } from './incoming.ts';
import { invalidMultipart, PART_LIMITS } from './multipart.ts';

/** Limits of forms with a file, which have few and short fields. */
const FORM_LIMITS = { ...PART_LIMITS, parts: 100, fieldSize: 65_536 };

/** The fields of a form, and the result of `take`; undefined if no file was sent. */
interface FileUpload<T> {
  /** Fields before the file, and fields after it unless `take` finished before the end of the file. */
  readonly fields: RawParameters;
  readonly result: T | undefined;
}

/**
 * Receives a multipart body and streams the file in the part `name` to `take`; the file is never in memory as a whole. If the
 * client or `take` ends early, the other ends too, and the rest of the body is discarded. Other files are ignored. Bodies of
 * other types are read as parameters without a file.
 */
export async function receiveFile<T>(
  request: IncomingRequest,
  name: string,
  take: (file: Readable, metadata: { readonly filename: string; readonly fields: RawParameters }) => Promise<T>,
): Promise<FileUpload<T>> {
  if (getMediaType(request) !== 'multipart') return { fields: await readBodyParameters(request), result: undefined };
  const fields = createEmptyParameters();
  const parser = createParser(request);
  /** Resolves when `take` has finished before the end of the file; rejects when it fails. */
  const finished = Promise.withResolvers<void>();
  finished.promise.catch(() => {});
  let file: { readonly stream: Readable; readonly result: Promise<T> } | undefined;
  parser.on('field', (fieldName, value) => {
    if (fieldName !== undefined && fieldName.length <= MAX_NAME_LENGTH) assignParameter(fields, fieldName, value);
  });
  parser.on('file', (fieldName, stream, filename) => {
    if (fieldName !== name || file !== undefined) {
      stream.resume();
      return;
    }
    // `take` sees errors of the stream, unless it has stopped reading.
    stream.on('error', () => {});
    const result = take(stream, { filename: filename ?? '', fields });
    file = { stream, result };
    result.then(() => stream.readableEnded || finished.resolve(), finished.reject);
  });
  const body = createBodyStream(request);
  try {
    await Promise.race([pipeline(body, parser), finished.promise]);
  } catch (error) {
    file?.stream.destroy(error as Error);
    await file?.result.catch(() => {});
    // Errors of the parser have no code, unlike those of connections and disks.
    const isParserError = (error as NodeJS.ErrnoException).code === undefined;
    if (error instanceof HttpError || request.client.isDisconnected || !isParserError) throw error;
    throw invalidMultipart();
  } finally {
    body.destroy();
  }
  return { fields, result: await file?.result };
}

function createParser({ headers }: IncomingRequest): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: FORM_LIMITS });
  } catch {
    throw invalidMultipart();
  }
}
