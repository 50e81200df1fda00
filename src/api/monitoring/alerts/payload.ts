import { HttpError } from '#http/errors/http-error.ts';
import { hasBody, MEBIBYTE, readBytes } from '#http/request/body.ts';
import { collectBytes, DecodingError, parseEncoding, readDecoded } from '#http/request/content-encoding.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { type JsonLimits, PARAMETER_LIMITS, parseJson } from '#http/request/json-body.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';

/** A payload as it came, and what it says. */
export interface AlertPayload {
  /** JSON. */
  readonly text: string;
  readonly value: JsonObject;
}

const NOTHING: AlertPayload = { text: '{}', value: {} };

/** Deeper than other bodies, and bounded as they are besides (contract/conventions.md §1 stage 3). */
const BOUNDS: JsonLimits = { ...PARAMETER_LIMITS, depth: 100 };

const BROKEN: readonly number[] = [400, 413];

/**
 * The body of an alert, read as JSON whatever its type is (contract/monitoring.md §1 step 2): refused when it is too large, as it
 * was sent or decoded, too deep, no JSON or no object. An empty one says nothing.
 */
export async function readPayload(request: IncomingRequest): Promise<AlertPayload | Failure<'broken'>> {
  if (!hasBody(request)) return NOTHING;
  try {
    const bytes = await decodedBytes(request);
    if (bytes === null) return fail('broken');
    const value = await parseJson(bytes, BOUNDS);
    if (value === undefined) return NOTHING;
    return isJsonObject(value) ? { text: bytes.toString('utf8'), value } : fail('broken');
  } catch (error) {
    if (error instanceof DecodingError || (error instanceof HttpError && BROKEN.includes(error.status))) {
      return fail('broken');
    }
    throw error;
  }
}

/** Null: it is too large, or in an encoding that nobody knows. */
async function decodedBytes(request: IncomingRequest): Promise<Buffer | null> {
  const encoding = parseEncoding(firstHeader(request.headers['content-encoding']));
  if (encoding === null) return null;
  const sent = await readBytes(request, MEBIBYTE);
  if (encoding === 'identity' || sent.length === 0) return sent;
  return readDecoded(sent, encoding, (pieces) => collectBytes(pieces, MEBIBYTE), request.client);
}
