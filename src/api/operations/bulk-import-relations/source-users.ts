import type { SignedInCaller } from '#authentication/caller.ts';
import { object, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { arrayOf, integer } from '#http/parameters/types.ts';
import type { SourceUser, UserMapping } from './relation.ts';

/** References to source users in elements, and their local users (contract/operations.md §1.4 "Users"). */

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
