import type { KeyObject } from 'node:crypto';
import { encrypt } from '#security/encryption.ts';
import { JOB_VARIABLE } from '../processing/index.ts';

/** Encrypts the variables given when a job is played. The last value of a duplicate key wins. */
export function encryptJobVariables(
  secretKey: KeyObject,
  variables: readonly { readonly key: string; readonly value: string }[],
) {
  const valuesByKey = new Map(variables.map((variable) => [variable.key, variable.value]));
  return [...valuesByKey].map(([key, value]) => ({ key, value: encrypt(secretKey, value, JOB_VARIABLE) }));
}
