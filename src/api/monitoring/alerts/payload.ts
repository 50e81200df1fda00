import { HttpError } from '#http/errors/http-error.ts';
import { hasBody, MEBIBYTE, readBytes } from '#http/request/body.ts';
import { collected, encodingOf, readDecoded, Undecodable } from '#http/request/content-encoding.ts';
import { type Incoming, single } from '#http/request/incoming.ts';
import { type JsonBounds, MERGED_BOUNDS, parseJson } from '#http/request/json-body.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isObject, type JsonObject } from '#text/json-object.ts';

/** A payload as it came, and what it says. */
export interface Payload {
  /** JSON. */
  readonly text: string;
  readonly value: JsonObject;
}

const NOTHING: Payload = { text: '{}', value: {} };

/** Deeper than other bodies, and bounded as they are besides (contract/conventions.md §1 stage 3). */
const BOUNDS: JsonBounds = { ...MERGED_BOUNDS, depth: 100 };

const BROKEN: readonly number[] = [400, 413];

/**
 * The body of an alert, read as JSON whatever its type is (contract/monitoring.md §1 step 2): refused when it is too large, as it
 * was sent or decoded, too deep, no JSON or no object. An empty one says nothing.
 */
export async function readPayload(request: Incoming): Promise<Payload | Failure<'broken'>> {
  if (!hasBody(request)) return NOTHING;
  try {
    const bytes = await decodedBytes(request);
    if (bytes === null) return fail('broken');
    const value = await parseJson(bytes, BOUNDS);
    if (value === undefined) return NOTHING;
    return isObject(value) ? { text: bytes.toString('utf8'), value } : fail('broken');
  } catch (error) {
    if (error instanceof Undecodable || (error instanceof HttpError && BROKEN.includes(error.status))) {
      return fail('broken');
    }
    throw error;
  }
}

/** Null: it is too large, or in an encoding that nobody knows. */
async function decodedBytes(request: Incoming): Promise<Buffer | null> {
  const encoding = encodingOf(single(request.headers['content-encoding']));
  if (encoding === null) return null;
  const sent = await readBytes(request, MEBIBYTE);
  if (encoding === 'identity' || sent.length === 0) return sent;
  return readDecoded(sent, encoding, (pieces) => collected(pieces, MEBIBYTE), request.client);
}
