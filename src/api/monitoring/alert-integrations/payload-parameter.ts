import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { HttpError } from '#http/errors/http-error.ts';
import { isFilePart, isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { nestedTooDeeply } from '#http/request/body-limits.ts';
import { type JsonLimits, parseJson } from '#http/request/json-body.ts';

/** Payload parameters: an object, or an object as JSON text (contract/monitoring.md §5). */

/** Maximum number of members; no accepted body has an object with more. */
const MAX_NAMES = 50_000;
/** Maximum size of a payload, in bytes of JSON. */
const MAX_BYTES = 1024 * 1024;
/** Limits the depth only; the other limits cannot be reached within `MAX_BYTES`. */
const PAYLOAD_LIMITS: JsonLimits = {
  depth: 100,
  itemsPerValue: MAX_BYTES,
  totalItems: MAX_BYTES,
  nameBytes: MAX_BYTES,
};

/** Accepts an object or a text. Text is not parsed here, because long text is parsed incrementally later. */
export const payloadObject: ParameterType<RawParameters | string> = {
  schema: Type.Union([Type.Object({}, { maxProperties: MAX_NAMES }), Type.String({ maxLength: MAX_BYTES })]),
  read(raw, name, problems) {
    if (raw === null || typeof raw === 'string') return raw;
    return isParameterObject(raw) ? raw : problems.addInvalid(name);
  },
};

/** Accepts any object. */
export const anyObject: ParameterType<RawParameters> = {
  schema: Type.Object({}, { maxProperties: MAX_NAMES }),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    return isParameterObject(raw) ? raw : problems.addInvalid(name);
  },
};

/** Returns whether the value contains a file part of a form, at any depth. */
function containsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isFilePart(value) || Object.values(value).some(containsFile);
}

/** A parsed payload and its JSON text. */
export interface SamplePayload {
  readonly value: Readonly<Record<string, unknown>>;
  readonly json: string;
}

/** Why a payload is rejected: not a JSON object, over 1 MiB, or nested too deeply. */
type PayloadError = 'invalid' | 'tooLarge' | 'tooDeep';

/** Returns the parsed payload, or the reason why it is rejected. */
export async function readSamplePayload(payload: unknown): Promise<SamplePayload | PayloadError> {
  const isText = typeof payload === 'string';
  if (!isText && (!isParameterObject(payload) || containsFile(payload))) return 'invalid';
  const json = isText ? payload.toWellFormed() : JSON.stringify(payload);
  if (Buffer.byteLength(json) > MAX_BYTES) return 'tooLarge';
  if (!isText) return { value: payload, json };
  try {
    const value = await parseJson(Buffer.from(json), PAYLOAD_LIMITS);
    return isParameterObject(value) ? { value, json } : 'invalid';
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return isDeepStrictEqual(error.body, nestedTooDeeply().body) ? 'tooDeep' : 'invalid';
  }
}
