import type { KeyObject } from 'node:crypto';
import type { MailTarget } from '#database/tables/mail.ts';
import { signature } from '#security/signatures.ts';
import { sameSecret } from '#security/tokens.ts';

/**
 * The links by which whoever gets a mail gets no more of the kind, without signing in. They say what and who by themselves,
 * and only this server can have made them: nothing is kept for them.
 */
export interface Leaving {
  /** What he wants to hear no more of; of a mail that puts several together, all of those. */
  readonly what: Exclude<MailTarget, 'Pipeline' | 'Alert'> | 'Digest';
  readonly id: number;
  readonly userId: number;
}

const LETTERS: Readonly<Record<Leaving['what'], string>> = {
  Issue: 'i',
  MergeRequest: 'm',
  Epic: 'e',
  Project: 'p',
  Digest: 'd',
};

const PURPOSE = 'mail unsubscribe';

export function leavingToken(key: KeyObject, { what, id, userId }: Leaving): string {
  const said = `${LETTERS[what]}${id}-${userId}`;
  return `${said}-${signature(key, PURPOSE, said)}`;
}

/** null: this server has not made it. */
export function readLeavingToken(key: KeyObject, token: string): Leaving | null {
  const [, letter, id, userId, signed = ''] = /^([a-z])(\d{1,15})-(\d{1,15})-([\w-]{43})$/.exec(token) ?? [];
  const what = (Object.keys(LETTERS) as Leaving['what'][]).find((one) => LETTERS[one] === letter);
  if (what === undefined || !sameSecret(signed, signature(key, PURPOSE, `${letter}${id}-${userId}`))) return null;
  return { what, id: Number(id), userId: Number(userId) };
}
