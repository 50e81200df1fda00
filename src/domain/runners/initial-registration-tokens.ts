import type { KeyObject } from 'node:crypto';
import { sign } from '#security/signatures.ts';
import { secretsEqual } from '#security/tokens.ts';

/**
 * Initial registration tokens of groups and projects. A token contains its owner and a signature of this server, so that nothing
 * is stored until a user resets it.
 */

/** Prefix of the registration tokens of groups and projects. */
export const REGISTRATION_TOKEN_PREFIX = 'GR1348941';

/** Purpose of the signatures: the same text is signed differently for other purposes. */
const PURPOSE = 'registration tokens';

/** A group or project with runners. */
export interface RunnerOwnerRef {
  readonly type: 'group' | 'project';
  readonly id: number;
  /** Namespace of a project, if it is already loaded. */
  readonly namespaceId?: number;
}

/** Returns the initial token of a group or project; the same for each call with the same key. */
export function deriveInitialToken(key: KeyObject, { type, id }: RunnerOwnerRef): string {
  const signedText = `${type === 'group' ? 'g' : 'p'}${id}`;
  return `${REGISTRATION_TOKEN_PREFIX}${signedText}-${sign(key, PURPOSE, signedText)}`;
}

/** Returns the owner in an initial token, which may not exist anymore. Null: the token is not from this server. */
export function parseInitialToken(key: KeyObject, token: string): RunnerOwnerRef | null {
  const [, signedText = '', signatureText = ''] = /^GR1348941([gp]\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  if (signedText === '' || !secretsEqual(signatureText, sign(key, PURPOSE, signedText))) return null;
  return { type: signedText.startsWith('g') ? 'group' : 'project', id: Number(signedText.slice(1)) };
}
