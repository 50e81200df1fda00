import { HttpError } from '#http/errors/http-error.ts';
import { hasBody, MEBIBYTE, readBytes } from '#http/request/body.ts';
import { collectBytes, DecodingError, parseEncoding, readDecoded } from '#http/request/content-encoding.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { type JsonLimits, PARAMETER_LIMITS, parseJson } from '#http/request/json-body.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';

/** The text of a payload and its parsed value. */
export interface AlertPayload {
  /** JSON. */
  readonly text: string;
  readonly value: JsonObject;
}

const EMPTY_PAYLOAD: AlertPayload = { text: '{}', value: {} };

/** Allows deeper nesting than other bodies; the other limits are the same (contract/conventions.md §1 stage 3). */
const PAYLOAD_LIMITS: JsonLimits = { ...PARAMETER_LIMITS, depth: 100 };

const BODY_ERROR_STATUSES: readonly number[] = [400, 413];

/**
 * Parses the body of an alert as JSON, whatever its content type (contract/monitoring.md §1 step 2). Fails if the encoded or
 * decoded body is too large, nested too deeply, not JSON or not an object. An empty body yields an empty object.
 */
export async function readPayload(request: IncomingRequest): Promise<AlertPayload | Failure<'unusablePayload'>> {
  if (!hasBody(request)) return EMPTY_PAYLOAD;
  try {
    const bytes = await readDecodedBody(request);
    if (bytes === null) return fail('unusablePayload');
    const value = await parseJson(bytes, PAYLOAD_LIMITS);
    if (value === undefined) return EMPTY_PAYLOAD;
    return isJsonObject(value) ? { text: bytes.toString('utf8'), value } : fail('unusablePayload');
  } catch (error) {
    if (error instanceof DecodingError || (error instanceof HttpError && BODY_ERROR_STATUSES.includes(error.status))) {
      return fail('unusablePayload');
    }
    throw error;
  }
}

/** Returns the decoded body, or null if it is too large or its encoding is unknown. */
async function readDecodedBody(request: IncomingRequest): Promise<Buffer | null> {
  const encoding = parseEncoding(firstHeader(request.headers['content-encoding']));
  if (encoding === null) return null;
  const bytes = await readBytes(request, MEBIBYTE);
  if (encoding === 'identity' || bytes.length === 0) return bytes;
  return readDecoded(bytes, encoding, (chunks) => collectBytes(chunks, MEBIBYTE), request.client);
}
