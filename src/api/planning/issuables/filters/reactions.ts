import { sql } from 'kysely';
import { findEmojiName } from '#api/planning/awards/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { isPresent } from '#http/parameters/declarations.ts';
import type { IssuableListScope } from '../kind.ts';
import type { ListCondition } from './query-strategy.ts';
import { existsCondition, isKeyword, listedColumn, negateCondition } from './row-conditions.ts';

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

/** Matches issuables to which the user awarded this emoji, any, or none. index: award_emoji_by_user, award_emoji_by_issue, award_emoji_by_merge_request, award_emoji_by_epic */
function reactionCondition(db: Reader, scope: IssuableListScope, userId: number, emoji: string): ListCondition {
  const foreignKey = sql.ref(`award.${scope.tables.foreignKey}`);
  const isKeywordFilter = isKeyword(emoji, 'Any') || isKeyword(emoji, 'None');
  const emojiPredicate = isKeywordFilter ? sql`1 = 1` : sql`award.name = ${findEmojiName(emoji) ?? emoji}`;
  // The unary plus keeps the engines from reading all awards of the user for each row.
  const awardRows = sql`select 1 from award_emoji as award where ${foreignKey} = ${listedColumn(scope, 'id')} and +award.user_id = ${userId} and ${emojiPredicate}`;
  const ids = sql`select ${foreignKey} from award_emoji as award where award.user_id = ${userId} and ${foreignKey} is not null and ${emojiPredicate}`;
  const condition = { ...existsCondition(db, awardRows), ids };
  // `None` is the negation of `Any`.
  return isKeyword(emoji, 'None') ? negateCondition(condition) : condition;
}
