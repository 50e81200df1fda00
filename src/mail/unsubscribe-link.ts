import type { KeyObject } from 'node:crypto';
import type { UnsubscribableTarget } from '#database/schema.ts';
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

const LETTERS_BY_TARGET: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'i',
  MergeRequest: 'm',
  Epic: 'e',
  Project: 'p',
  Digest: 'd',
};

const PURPOSE = 'mail unsubscribe';

/** Returns `<letter><id>-<user id>-<signature>`. */
export function createUnsubscribeToken(key: KeyObject, { target, id, userId }: UnsubscribeClaim): string {
  const claimText = `${LETTERS_BY_TARGET[target]}${id}-${userId}`;
  return `${claimText}-${sign(key, PURPOSE, claimText)}`;
}

/** Verifies and parses a token; returns null if this server has not signed it. */
export function parseUnsubscribeToken(key: KeyObject, token: string): UnsubscribeClaim | null {
  const [, letter, id, userId, signature = ''] = /^([a-z])(\d{1,15})-(\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  const targets = Object.keys(LETTERS_BY_TARGET) as UnsubscribeClaim['target'][];
  const target = targets.find((candidate) => LETTERS_BY_TARGET[candidate] === letter);
  if (target === undefined || !secretsEqual(signature, sign(key, PURPOSE, `${letter}${id}-${userId}`))) return null;
  return { target, id: Number(id), userId: Number(userId) };
}
