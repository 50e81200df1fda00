import { getStateBlock } from '#authentication/sign-in-blocks.ts';
import { findUserIdByConfirmedAddress } from '#authentication/users/emails.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { optional, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { string, title } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { SourceUser } from './relation.ts';

/** What a source tells of a user by which he may be known here. */
interface Profile {
  readonly username: string;
  /** Told to administrators of the source. */
  readonly email?: string | null | undefined;
  readonly public_email?: string | null | undefined;
  readonly bot: boolean;
}

const FIELDS = {
  username: optional(title),
  email: optional(string),
  public_email: optional(string),
  bot: optional(boolean, false),
};

/** The answer to `GET /users/:id`, of a user whom an element has named: where it tells nothing, no more is known than his name. */
export function profileOf(answer: unknown, { username }: Pick<SourceUser, 'username'>): Profile {
  const problems = new Problems();
  const profile = readParameters(FIELDS, isParameterObject(answer) ? answer : {}, problems);
  return problems.any ? { username, bot: false } : { ...profile, username: profile.username || username };
}

/**
 * Who a user of the source is here, null nobody: who has a confirmed address of his, else who has his username; never a bot, nor
 * who is blocked (contract/operations.md §1.4 "Users").
 */
export async function userHere(db: Reader, { username, email, public_email, bot }: Profile): Promise<number | null> {
  if (bot) return null;
  for (const address of [email, public_email]) {
    const holder = address ? await findUserIdByConfirmedAddress(db, address) : null;
    const user = holder === null ? null : await findUserById(db, holder);
    if (mayBe(user)) return user.id;
  }
  const named = await findUserByUsername(db, username);
  return mayBe(named) ? named.id : null;
}

const SHUT_OUT: readonly unknown[] = ['blocked', 'pending'];

function mayBe(user: User | null): user is User {
  return user !== null && !user.bot && !user.internal && !SHUT_OUT.includes(getStateBlock(user));
}
