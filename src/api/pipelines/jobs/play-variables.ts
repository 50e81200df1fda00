import type { KeyObject } from 'node:crypto';
import { encrypt } from '#security/encryption.ts';
import { JOB_VARIABLE } from '../processing/index.ts';

/** Encrypts the variables with which a job is played; of duplicate keys the last one counts. */
export function encryptJobVariables(
  key: KeyObject,
  variables: readonly { readonly key: string; readonly value: string }[],
) {
  const last = new Map(variables.map((variable) => [variable.key, variable.value]));
  return [...last].map(([name, value]) => ({ key: name, value: encrypt(key, value, JOB_VARIABLE) }));
}
