import { bodyTooLarge, HttpError } from '#http/errors/http-error.ts';
import { hasBody, MEBIBYTE } from '#http/request/body.ts';
import { reserveBodyMemory } from '#http/request/body-memory.ts';
import {
  createChunkBuffer,
  DecodingError,
  type Encoding,
  parseEncoding,
  readDecodedChunks,
} from '#http/request/decoded-body.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { type JsonLimits, PARAMETER_LIMITS, parseJson } from '#http/request/json-body.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { type AlertSplitter, createAlertSplitter } from './alert-splitter.ts';
import { getWebhookElements } from './webhook-payload.ts';

/** The text of a payload and its parsed value. */
export interface AlertPayload {
  /** JSON. */
  readonly text: string;
  readonly value: JsonObject;
  /** The JSON of each alert of a large webhook payload, which is not in `value`; null for other payloads. */
  readonly largeAlerts: readonly Buffer[] | null;
}

const EMPTY_PAYLOAD: AlertPayload = { text: '{}', value: {}, largeAlerts: null };

/** Maximum size of a payload in bytes, both encoded and decoded. A payload in the generic format may have 1 MiB. */
const MAX_WEBHOOK_BYTES = 16 * MEBIBYTE;

/** Allows deeper nesting than other bodies; the other limits are the same (contract/conventions.md §1 stage 3). */
const PAYLOAD_LIMITS: JsonLimits = { ...PARAMETER_LIMITS, depth: 100 };
/** An alert is two levels below the payload. */
const ALERT_LIMITS: JsonLimits = { ...PAYLOAD_LIMITS, depth: PAYLOAD_LIMITS.depth - 2 };

const BODY_ERROR_STATUSES: readonly number[] = [400, 413];

/**
 * Parses the body of an alert as JSON, regardless of its content type (contract/monitoring.md §1 step 2). Fails if the
 * encoded or decoded body is too large, nested too deeply, not JSON or not an object. An empty body yields an empty object.
 * The alerts of a webhook payload over 1 MiB are not parsed; those that are too large are dropped and counted.
 */
export async function readPayload(
  request: IncomingRequest,
  metrics: Metrics,
): Promise<AlertPayload | Failure<'unusablePayload'>> {
  if (!hasBody(request)) return EMPTY_PAYLOAD;
  const encoding = parseEncoding(firstHeader(request.headers['content-encoding']));
  if (encoding === null) return fail('unusablePayload');
  return failIfUnusable(async () => {
    const body = await readBody(request, encoding);
    const bytes = Buffer.isBuffer(body) ? body : body.takeRest();
    const value = await parseJson(bytes, PAYLOAD_LIMITS);
    if (value === undefined) return EMPTY_PAYLOAD;
    if (!isJsonObject(value)) return fail('unusablePayload');
    if (Buffer.isBuffer(body)) return { text: bytes.toString('utf8'), value, largeAlerts: null };
    if (getWebhookElements(value) === null) return fail('unusablePayload');
    if (body.droppedCount > 0) metrics.recordDroppedItems('alert', body.droppedCount);
    return { text: '', value, largeAlerts: body.alerts };
  });
}

/** Parses one alert of a large webhook payload. Fails if it is nested too deeply or not JSON. */
export function parseLargeAlert(json: Buffer): Promise<{ readonly element: unknown } | Failure<'unusablePayload'>> {
  return failIfUnusable(async () => {
    const element = await parseJson(json, ALERT_LIMITS);
    return element === undefined ? fail('unusablePayload') : { element };
  });
}

async function failIfUnusable<Result>(parse: () => Promise<Result>): Promise<Result | Failure<'unusablePayload'>> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof DecodingError || (error instanceof HttpError && BODY_ERROR_STATUSES.includes(error.status))) {
      return fail('unusablePayload');
    }
    throw error;
  }
}

/** Returns the decoded body; one over 1 MiB is split into its alerts while it arrives. Throws 413 if it is too large. */
async function readBody(request: IncomingRequest, encoding: Encoding): Promise<Buffer | AlertSplitter> {
  const bufferedStart = createChunkBuffer();
  let size = 0;
  let splitter: AlertSplitter | null = null;
  const limits = { maxSentBytes: MAX_WEBHOOK_BYTES, maxDecodedBytes: MAX_WEBHOOK_BYTES };
  for await (const chunk of readDecodedChunks(request, encoding, limits)) {
    size += chunk.length;
    reserveBodyMemory(request, size);
    if (size <= MEBIBYTE) {
      bufferedStart.add(chunk);
      continue;
    }
    if (splitter === null) {
      splitter = createAlertSplitter();
      splitter.push(bufferedStart.take());
    }
    splitter.push(chunk);
    if (splitter.isTooLarge) throw bodyTooLarge();
  }
  return splitter ?? bufferedStart.take();
}
