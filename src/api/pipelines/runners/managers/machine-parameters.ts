import { Type } from 'typebox';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { object, optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { limitedText, string } from '#http/parameters/texts.ts';

/** Parameters that describe a machine (contract/runners.md §1.8, §3). Unknown values are ignored, not rejected. */

export const MAX_SYSTEM_ID_LENGTH = 64;
const MAX_ENTRIES = 100;
const MAX_ENTRY_LENGTH = 255;

/** Parameter type of an object; keeps values of this type, at most `MAX_ENTRIES`, and drops the others. */
function recordParameter<T extends boolean | string>(
  kind: 'boolean' | 'string',
): ParameterType<Readonly<Record<string, T>>> {
  const isValid = (value: unknown): value is T =>
    typeof value === kind && (typeof value !== 'string' || value.length <= MAX_ENTRY_LENGTH);
  return {
    schema: Type.Object({}),
    isObject: true,
    read(raw) {
      if (!isParameterObject(raw)) return null;
      const validEntries: Record<string, T> = {};
      let count = 0;
      for (const name of Object.keys(raw)) {
        const value = raw[name];
        // Assigning to `__proto__` would replace the prototype.
        if (count === MAX_ENTRIES || name.length > MAX_ENTRY_LENGTH || name === '__proto__' || !isValid(value))
          continue;
        validEntries[name] = value;
        count++;
      }
      return validEntries;
    },
  };
}

const versionParams = {
  name: optional(string),
  version: optional(string),
  revision: optional(string),
  platform: optional(string),
  architecture: optional(string),
};

/** `info` of a registration. */
export const registrationInfo = object(versionParams);

/** The parameters of each request from a runner's machine, in addition to the token. */
export const machineParams = {
  system_id: optional(limitedText(MAX_SYSTEM_ID_LENGTH)),
  info: optional(
    object({
      ...versionParams,
      executor: optional(string),
      features: optional(recordParameter<boolean>('boolean')),
      config: optional(object({ gpus: optional(string) })),
      labels: optional(recordParameter<string>('string')),
    }),
  ),
};
