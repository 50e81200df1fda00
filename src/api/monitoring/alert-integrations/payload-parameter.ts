import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { HttpError } from '#http/errors/http-error.ts';
import { isFilePart, isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { nestedTooDeeply } from '#http/request/body-limits.ts';
import { type JsonLimits, parseJson } from '#http/request/json-body.ts';

/** Payloads that are given as parameters: an object, or a text that holds one as JSON (contract/monitoring.md §5). */

/** No body has an object with more. */
const MOST_NAMES = 50_000;
const MOST_BYTES = 1024 * 1024;
/** Of what it holds no more is said than how deep it may be. */
const BOUNDS: JsonLimits = { depth: 100, items: MOST_BYTES, elements: MOST_BYTES, names: MOST_BYTES };

/** What came, of which a text is not parsed yet: what is long is parsed in turns. */
export const payloadObject: ParameterType<RawParameters | string> = {
  schema: Type.Union([Type.Object({}, { maxProperties: MOST_NAMES }), Type.String({ maxLength: MOST_BYTES })]),
  read(raw, name, problems) {
    if (raw === null || typeof raw === 'string') return raw;
    return isParameterObject(raw) ? raw : problems.addInvalid(name);
  },
};

/** An object that is looked at as a whole. */
export const anyObject: ParameterType<RawParameters> = {
  schema: Type.Object({}, { maxProperties: MOST_NAMES }),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    return isParameterObject(raw) ? raw : problems.addInvalid(name);
  },
};

/** A part of a form may be a file, however deep its name puts it. */
function holdsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isFilePart(value) || Object.values(value).some(holdsFile);
}

/** A payload that was read, and its JSON. */
export interface SamplePayload {
  readonly value: Readonly<Record<string, unknown>>;
  readonly json: string;
}

/** Why there is none: no JSON, or no object; over 1 MiB; nested deeper than any payload may be. */
type Unread = 'invalid' | 'tooLarge' | 'tooDeep';

/** The payload that was given, or what is wrong with it. */
export async function readPayload(given: unknown): Promise<SamplePayload | Unread> {
  const isText = typeof given === 'string';
  if (!isText && (!isParameterObject(given) || holdsFile(given))) return 'invalid';
  const json = isText ? given.toWellFormed() : JSON.stringify(given);
  if (Buffer.byteLength(json) > MOST_BYTES) return 'tooLarge';
  if (!isText) return { value: given, json };
  try {
    const value = await parseJson(Buffer.from(json), BOUNDS);
    return isParameterObject(value) ? { value, json } : 'invalid';
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return isDeepStrictEqual(error.body, nestedTooDeeply().body) ? 'tooDeep' : 'invalid';
  }
}
