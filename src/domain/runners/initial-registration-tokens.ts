import type { KeyObject } from 'node:crypto';
import { signature } from '#security/signatures.ts';
import { sameSecret } from '#security/tokens.ts';

/**
 * The registration token of a group or project for which nobody has wished another one yet. It says by itself whose it is,
 * and only this server can have made it: nothing is kept for it, so that whoever is shown a project writes nothing.
 */

/** By which runners and people know the tokens of groups and projects. */
export const PREFIX = 'GR1348941';

const PURPOSE = 'registration tokens';

export interface RegistrarPlace {
  readonly type: 'group' | 'project';
  readonly id: number;
  /** Of a project, where that is known already. */
  readonly namespaceId?: number;
}

export function firstTokenOf(key: KeyObject, { type, id }: RegistrarPlace): string {
  const said = `${type === 'group' ? 'g' : 'p'}${id}`;
  return `${PREFIX}${said}-${signature(key, PURPOSE, said)}`;
}

/** Whose it is, if there is such a place; null: this server has not made it. */
export function readFirstToken(key: KeyObject, token: string): RegistrarPlace | null {
  const [, said = '', signed = ''] = /^GR1348941([gp]\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  if (said === '' || !sameSecret(signed, signature(key, PURPOSE, said))) return null;
  return { type: said.startsWith('g') ? 'group' : 'project', id: Number(said.slice(1)) };
}
