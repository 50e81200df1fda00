import { importMember } from '#api/namespaces/members/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { getStateBlock } from '#authentication/caller.ts';
import { findUserIdByConfirmedAddress } from '#authentication/users/emails.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { toParent } from '#http/access/parents.ts';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { object, optional, type Parameter, readParameters, required } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { shortText, string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, date, integer } from '#http/parameters/types.ts';
import { declareRelation, type SourceGroupOrProject, type SourceUser, type UserMapping } from './relation.ts';

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

// References to source users in elements, and their local users (contract/operations.md §1.4 "Users").

/** A user reference in an element. */
export const sourceUser = object({ id: required(integer), username: required(shortText), name: required(shortText) });

/** A list of user references. */
export const sourceUsers: Parameter<SourceUser[], 'defaulted'> = optional(arrayOf(sourceUser), []);

interface AttributedText {
  readonly author_id: number;
  readonly text: string | null;
}

/**
 * Returns the id of the local author, and the text. If the author has no local user, the importing user is the author, and the
 * text starts with the name of the original author.
 */
export function toAttributedText(
  importer: SignedInCaller,
  users: UserMapping,
  author: SourceUser | null | undefined,
  text: string | null | undefined,
): AttributedText {
  const id = users.getLocalUserId(author);
  if (id !== null || author == null) return { author_id: id ?? importer.user.id, text: text ?? null };
  return { author_id: importer.user.id, text: `*Created by: ${author.name} (@${author.username})*\n\n${text ?? ''}` };
}

/** Returns the distinct ids of the local users, in order. */
export function mapUserIds(users: UserMapping, sourceUserList: readonly SourceUser[]): number[] {
  return [...new Set(sourceUserList.map((user) => users.getLocalUserId(user)).filter((id) => id !== null))];
}

/** Returns the last path segments of the list. The requested entity includes inherited members: its ancestors are not imported. */
const getMembersPath = ({ isChild }: SourceGroupOrProject) => (isChild ? 'members' : 'members/all');

/** Members of groups and projects who have a local user. */
export const members = declareRelation({
  name: 'members',
  kind: 'member',
  isEnabled: ({ migrateMemberships }) => migrateMemberships,
  list: {
    group: (source) => `/groups/${source.id}/${getMembersPath(source)}`,
    project: (source) => `/projects/${source.id}/${getMembersPath(source)}`,
  },
  fields: {
    id: required(integer),
    username: required(shortText),
    name: required(shortText),
    access_level: required(integer),
    expires_at: optional(date),
  },
  referencedUsers: (member) => [member],
  async store(uow, { destination }, member, users) {
    const userId = users.getLocalUserId(member);
    if (userId === null) return null;
    const input = { userId, accessLevel: member.access_level, expiresAt: member.expires_at ?? null };
    return (await importMember(uow, toParent(uow.actor, destination), input))?.id ?? null;
  },
});
