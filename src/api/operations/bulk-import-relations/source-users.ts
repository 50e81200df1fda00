import type { SignedInCaller } from '#authentication/caller.ts';
import { object, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { arrayOf, integer } from '#http/parameters/types.ts';
import type { SourceUser, Users } from './relation.ts';

/** The people of a source, and who they are here (contract/operations.md §1.4 "Users"). */

/** A user as an element names him. */
export const sourceUser = object({ id: required(integer), username: required(title), name: required(title) });

/** Several of them. */
export const sourceUsers: Parameter<SourceUser[], 'defaulted'> = optional(arrayOf(sourceUser), []);

interface Written {
  readonly author_id: number;
  readonly text: string | null;
}

/**
 * Whose a text is here, and what it says: where its author is nobody here it is the importing user's, and begins with who has
 * written it.
 */
export function asWritten(
  by: SignedInCaller,
  users: Users,
  author: SourceUser | null | undefined,
  text: string | null | undefined,
): Written {
  const id = users.of(author);
  if (id !== null || author == null) return { author_id: id ?? by.user.id, text: text ?? null };
  return { author_id: by.user.id, text: `*Created by: ${author.name} (@${author.username})*\n\n${text ?? ''}` };
}

/** Those who are here, each once, in their order. */
export function known(users: Users, people: readonly SourceUser[]): number[] {
  return [...new Set(people.map((user) => users.of(user)).filter((id) => id !== null))];
}
