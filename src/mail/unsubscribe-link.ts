import type { KeyObject } from 'node:crypto';
import type { UnsubscribableTarget } from '#database/tables/mail.ts';
import { sign } from '#security/signatures.ts';
import { secretsEqual } from '#security/tokens.ts';

/**
 * The content of an unsubscribe link, which works without signing in. The token contains the target and the user and is signed,
 * so that the server stores nothing.
 */
export interface UnsubscribeClaim {
  /** The type of the object to unsubscribe from; `Digest` means all objects of a mail that combines several. */
  readonly target: UnsubscribableTarget | 'Digest';
  readonly id: number;
  readonly userId: number;
}

const LETTERS: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'i',
  MergeRequest: 'm',
  Epic: 'e',
  Project: 'p',
  Digest: 'd',
};

const PURPOSE = 'mail unsubscribe';

export function createUnsubscribeToken(key: KeyObject, { target: what, id, userId }: UnsubscribeClaim): string {
  const said = `${LETTERS[what]}${id}-${userId}`;
  return `${said}-${sign(key, PURPOSE, said)}`;
}

/** Verifies and parses a token; returns null if this server has not signed it. */
export function parseUnsubscribeToken(key: KeyObject, token: string): UnsubscribeClaim | null {
  const [, letter, id, userId, signed = ''] = /^([a-z])(\d{1,15})-(\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  const what = (Object.keys(LETTERS) as UnsubscribeClaim['target'][]).find((one) => LETTERS[one] === letter);
  if (what === undefined || !secretsEqual(signed, sign(key, PURPOSE, `${letter}${id}-${userId}`))) return null;
  return { target: what, id: Number(id), userId: Number(userId) };
}
