import { Type } from 'typebox';
import { isRaw } from '#http/parameters/brackets.ts';
import { hash, optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { string, textOf } from '#http/parameters/texts.ts';

/** What machines send of themselves (contract/runners.md §1.8, §3). What is of no use here is left out, not refused. */

export const LONGEST_SYSTEM_ID = 64;
const MOST_FACTS = 100;
const LONGEST_FACT = 255;

/** A hash of which those values are kept that are of this kind, and not too many. */
function facts<T extends boolean | string>(kind: 'boolean' | 'string'): ParameterType<Readonly<Record<string, T>>> {
  const fits = (value: unknown): value is T =>
    typeof value === kind && (typeof value !== 'string' || value.length <= LONGEST_FACT);
  return {
    schema: Type.Object({}),
    isHash: true,
    read(raw) {
      if (!isRaw(raw)) return null;
      const kept: Record<string, T> = {};
      let count = 0;
      for (const name of Object.keys(raw)) {
        const value = raw[name];
        if (count === MOST_FACTS || name.length > LONGEST_FACT || name === '__proto__' || !fits(value)) continue;
        kept[name] = value;
        count++;
      }
      return kept;
    },
  };
}

const versions = {
  name: optional(string),
  version: optional(string),
  revision: optional(string),
  platform: optional(string),
  architecture: optional(string),
};

/** `info` of a registration. */
export const registrationInfo = hash(versions);

/** What comes with each call of a machine besides the token. */
export const machineParams = {
  system_id: optional(textOf(LONGEST_SYSTEM_ID)),
  info: optional(
    hash({
      ...versions,
      executor: optional(string),
      features: optional(facts<boolean>('boolean')),
      config: optional(hash({ gpus: optional(string) })),
      labels: optional(facts<string>('string')),
    }),
  ),
};
