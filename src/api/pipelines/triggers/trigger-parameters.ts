import { Type } from 'typebox';
import { isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { limitedText, refName, string } from '#http/parameters/texts.ts';
import { addTooManyElements, MAX_ARRAY_LENGTH } from '#http/parameters/types.ts';

/** Parameters for starting a pipeline by a token (contract/runners.md §4.6). */

const variableKey = limitedText(255);
const variableValue = limitedText(50_000);

/**
 * Parameter type for an object of texts. It passes other values through: `triggerTokenAccess` rejects them with its own
 * error.
 */
const stringMap: ParameterType<readonly (readonly [key: string, value: unknown])[]> = {
  schema: Type.Record(Type.String({ maxLength: 255 }), Type.String({ maxLength: 50_000 }), {
    maxProperties: MAX_ARRAY_LENGTH,
  }),
  isObject: true,
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (!isParameterObject(raw)) return problems.addInvalid(name);
    const entries = Object.entries(raw);
    if (entries.length > MAX_ARRAY_LENGTH) return addTooManyElements(name, MAX_ARRAY_LENGTH, problems);
    return entries.map(([entryName, rawValue]) => {
      const key = variableKey.read(entryName, name, problems) ?? '';
      return [
        key,
        typeof rawValue === 'string' ? variableValue.read(rawValue, `${name}[${key}]`, problems) : rawValue,
      ] as const;
    });
  },
};

export const triggerPipelineParams = {
  token: required(string),
  ref: required(refName),
  variables: optional(stringMap),
};

/** Maximum size of the payload that jobs get. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** Names left out of the payload: credentials, and the path, which is added separately. */
const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  'id',
  'ref',
  'token',
  'private_token',
  'access_token',
  'bearer_token',
  'job_token',
]);

/**
 * Returns all parameters of the request as JSON for jobs, such as the event of a webhook, without credentials. Returns
 * null if they are too large; stops as soon as the limit is exceeded.
 */
export function buildTriggerPayload(
  rawParams: RawParameters,
  path: { readonly id: string; readonly ref: string },
): string | null {
  let bytesLeft = MAX_PAYLOAD_BYTES;
  // `this` is the object that contains the name: excluded names apply to the top level only.
  function replaceValue(this: unknown, name: string, value: unknown): unknown {
    if (this === rawParams && EXCLUDED_NAMES.has(name)) return undefined;
    bytesLeft -= name.length + (typeof value === 'string' ? value.length : 1);
    if (bytesLeft < 0) throw new PayloadTooLarge();
    return value;
  }
  try {
    const [pathJson, paramsJson] = [JSON.stringify(path), JSON.stringify(rawParams, replaceValue)];
    // Joins the two objects; the path comes first.
    const payload = paramsJson === '{}' ? pathJson : `${pathJson.slice(0, -1)},${paramsJson.slice(1)}`;
    return Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES ? null : payload;
  } catch (error) {
    if (error instanceof PayloadTooLarge) return null;
    throw error;
  }
}

class PayloadTooLarge extends Error {}
