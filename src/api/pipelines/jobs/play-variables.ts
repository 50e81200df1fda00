import type { KeyObject } from 'node:crypto';
import { encrypt } from '#security/encryption.ts';
import { JOB_VARIABLE } from '../processing/index.ts';

/** Variables that a job is given when it is played, as they are stored; of two of one name the later counts. */
export function sealed(key: KeyObject, variables: readonly { readonly key: string; readonly value: string }[]) {
  const last = new Map(variables.map((variable) => [variable.key, variable.value]));
  return [...last].map(([name, value]) => ({ key: name, value: encrypt(key, value, JOB_VARIABLE) }));
}
