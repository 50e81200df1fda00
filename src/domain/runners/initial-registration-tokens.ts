import type { KeyObject } from 'node:crypto';
import { sign } from '#security/signatures.ts';
import { secretsEqual } from '#security/tokens.ts';

/**
 * Initial registration tokens of groups and projects. A token contains its owner and a signature of this server, so
 * nothing is stored until somebody resets it.
 */

/** Prefix of the registration tokens of groups and projects. */
export const REGISTRATION_TOKEN_PREFIX = 'GR1348941';

const PURPOSE = 'registration tokens';

export interface RunnerOwnerRef {
  readonly type: 'group' | 'project';
  readonly id: number;
  /** Namespace of a project, if it is already loaded. */
  readonly namespaceId?: number;
}

export function deriveInitialToken(key: KeyObject, { type, id }: RunnerOwnerRef): string {
  const signedText = `${type === 'group' ? 'g' : 'p'}${id}`;
  return `${REGISTRATION_TOKEN_PREFIX}${signedText}-${sign(key, PURPOSE, signedText)}`;
}

/** Returns the owner that an initial token names, which may not exist. Null if this server has not issued the token. */
export function parseInitialToken(key: KeyObject, token: string): RunnerOwnerRef | null {
  const [, signedText = '', signatureText = ''] = /^GR1348941([gp]\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  if (signedText === '' || !secretsEqual(signatureText, sign(key, PURPOSE, signedText))) return null;
  return { type: signedText.startsWith('g') ? 'group' : 'project', id: Number(signedText.slice(1)) };
}
