import type { SignedInCaller } from '#authentication/caller.ts';
import { object, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { arrayOf, integer } from '#http/parameters/types.ts';
import type { SourceUser, Users } from './relation.ts';

/** References to source users in elements, and their local users (contract/operations.md §1.4 "Users"). */

/** A user reference in an element. */
export const sourceUser = object({ id: required(integer), username: required(title), name: required(title) });

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
export function attributeText(
  importer: SignedInCaller,
  users: Users,
  author: SourceUser | null | undefined,
  text: string | null | undefined,
): AttributedText {
  const id = users.idOf(author);
  if (id !== null || author == null) return { author_id: id ?? importer.user.id, text: text ?? null };
  return { author_id: importer.user.id, text: `*Created by: ${author.name} (@${author.username})*\n\n${text ?? ''}` };
}

/** Returns the distinct ids of the local users, in order. */
export function mapUserIds(users: Users, sourceUserList: readonly SourceUser[]): number[] {
  return [...new Set(sourceUserList.map((user) => users.idOf(user)).filter((id) => id !== null))];
}
