import { sql } from 'kysely';
import { findEmojiName } from '#api/planning/awards/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { isPresent } from '#http/parameters/declarations.ts';
import type { IssuableListScope } from '../kind.ts';
import type { ListCondition } from './query-strategy.ts';
import { idsCondition, isKeyword, negateCondition } from './row-conditions.ts';

/** Filters by the emoji that the caller awarded (contract/planning.md §3.6). */

interface ReactionFilter {
  /** Name or alias of an emoji, `None` or `Any`. */
  readonly my_reaction_emoji?: string | null | undefined;
  readonly not?: { readonly my_reaction_emoji?: string | null | undefined } | null | undefined;
}

/** Returns the conditions of the filters. Anonymous callers awarded nothing. */
export function reactionConditions(
  db: Reader,
  scope: IssuableListScope,
  { user }: Caller,
  { my_reaction_emoji: emoji, not }: ReactionFilter,
): ListCondition[] {
  const buildCondition = (name: string) => reactionCondition(db, scope, user?.id ?? 0, name);
  const conditions = isPresent(emoji) ? [buildCondition(emoji)] : [];
  if (isPresent(not?.my_reaction_emoji)) conditions.push(negateCondition(buildCondition(not.my_reaction_emoji)));
  return conditions;
}

/** Matches issuables to which the user awarded this emoji, any, or none. index: award_emoji_by_user, award_emoji_by_issue */
function reactionCondition(db: Reader, scope: IssuableListScope, userId: number, emoji: string): ListCondition {
  const foreignKey = sql.ref(`award.${scope.tables.foreignKey}`);
  const selectAwards = sql`select ${foreignKey} from award_emoji as award where award.user_id = ${userId} and ${foreignKey} is not null`;
  if (isKeyword(emoji, 'Any')) return idsCondition(db, scope, selectAwards, foreignKey);
  if (isKeyword(emoji, 'None')) return negateCondition(idsCondition(db, scope, selectAwards, foreignKey));
  const name = findEmojiName(emoji) ?? emoji;
  return idsCondition(db, scope, sql`${selectAwards} and award.name = ${name}`, foreignKey);
}
