import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { HttpError } from '#http/errors/http-error.ts';
import { isFilePart, isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { nestedTooDeeply } from '#http/request/body-limits.ts';
import { type JsonLimits, parseJson } from '#http/request/json-body.ts';
import { createYielder } from '#runtime/yielding.ts';

// Lists the values of a payload that alert fields may be mapped to (contract/monitoring.md §5 "payload_fields").

type Path = (string | number)[];

interface Field {
  readonly path: Path;
  readonly label: string;
  readonly type: 'array' | 'datetime' | 'string' | 'number';
}

/** Maximum total characters of all fields: the labels of a 1 MiB payload could add up to a gigabyte. */
const MAX_TOTAL_LENGTH = 16 * 1024 * 1024;
/** Estimated characters that each field adds to the response in addition to its path and label. */
const FIELD_OVERHEAD = 48;

/** Returns every integer, text and list in the payload, or null if the response would be too large. */
export async function listPayloadFields(payload: Readonly<Record<string, unknown>>): Promise<Field[] | null> {
  const fields: Field[] = [];
  const yieldIfDue = createYielder();
  const pendingNodes: PayloadNode[] = [{ value: payload, path: [], label: '' }];
  let totalLength = 0;
  for (let node = pendingNodes.pop(); node !== undefined; node = pendingNodes.pop()) {
    const { value, path, label } = node;
    const type = getFieldType(value);
    if (type !== null) fields.push({ path, label, type });
    for (const member of listMembers(node)) {
      pendingNodes.push(member);
      // The path and the label have about the same length.
      totalLength += 2 * member.label.length + FIELD_OVERHEAD;
      if (totalLength > MAX_TOTAL_LENGTH) return null;
      const pendingYield = yieldIfDue();
      if (pendingYield !== undefined) await pendingYield;
    }
  }
  return fields;
}

/** A value of the payload and its path; the label is the path as text. */
interface PayloadNode {
  readonly value: unknown;
  readonly path: Path;
  readonly label: string;
}

/** Yields the members of an object or the items of a list. */
function* listMembers({ value, path, label }: PayloadNode): Iterable<PayloadNode> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield { value: item, path: [...path, index], label: `${label}[${index}]` };
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      yield { value: item, path: [...path, name], label: toLabel(label, name) };
    }
  }
}

const toLabel = (parentLabel: string, name: string) => (parentLabel === '' ? name : `${parentLabel}/${name}`);

/** Returns the type of the value, or null if no alert field can be mapped to it. */
function getFieldType(value: unknown): Field['type'] | null {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return /^\d{4}/.test(value) ? 'datetime' : 'string';
  return Number.isInteger(value) ? 'number' : null;
}

// Payload parameters: an object, or an object as JSON text (contract/monitoring.md §5).

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
interface SamplePayload {
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
