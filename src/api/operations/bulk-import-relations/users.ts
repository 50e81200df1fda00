import { getStateBlock } from '#authentication/caller.ts';
import { findUserIdByConfirmedAddress } from '#authentication/users/emails.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { optional, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { shortText, string } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { SourceUser } from './relation.ts';

/** The fields of a source user that identify a local user. */
interface SourceProfile {
  readonly username: string;
  /** Only visible to administrators of the source. */
  readonly email?: string | null | undefined;
  readonly public_email?: string | null | undefined;
  readonly bot: boolean;
}

const PROFILE_FIELDS = {
  username: optional(shortText),
  email: optional(string),
  public_email: optional(string),
  bot: optional(boolean, false),
};

/** Parses the response of `GET /users/:id`. For an invalid response, returns a profile with only the username of the reference. */
export function parseSourceProfile(response: unknown, { username }: Pick<SourceUser, 'username'>): SourceProfile {
  const problems = new Problems();
  const profile = readParameters(PROFILE_FIELDS, isParameterObject(response) ? response : {}, problems);
  return problems.any ? { username, bot: false } : { ...profile, username: profile.username || username };
}

/**
 * Returns the id of the local user with a confirmed email address of the source user, otherwise with the same username; null if
 * there is none. Never returns bots or blocked users (contract/operations.md §1.4 "Users").
 */
export async function findLocalUserId(
  db: Reader,
  { username, email, public_email, bot }: SourceProfile,
): Promise<number | null> {
  if (bot) return null;
  for (const address of [email, public_email]) {
    const userId = address ? await findUserIdByConfirmedAddress(db, address) : null;
    const user = userId === null ? null : await findUserById(db, userId);
    if (isMatchable(user)) return user.id;
  }
  const user = await findUserByUsername(db, username);
  return isMatchable(user) ? user.id : null;
}

const BLOCKED_STATES: readonly unknown[] = ['blocked', 'pending'];

/** Returns whether content of the source may be attributed to this user. */
function isMatchable(user: User | null): user is User {
  return user !== null && !user.bot && !user.internal && !BLOCKED_STATES.includes(getStateBlock(user));
}
