import { type Caller, isSignedIn } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { keyset, paged } from '#database/page.ts';
import { isCommonPart } from '#domain/namespaces/namespaces.ts';
import { beyondOffset } from '#http/lists/offset-limit.ts';
import type { Page } from '#http/lists/page.ts';
import { type KeysetRule, keysetPage, type PageRequest } from '#http/lists/pagination.ts';
import type { Failure } from '#runtime/failure.ts';
import type { GroupListing } from './parameters.ts';
import { areFewGroups, type GroupRow, type GroupScope, listGroups, orderGroups } from './store.ts';

/** How GET /groups is walked by keyset, by anonymous callers only (contract/conventions.md §6). */
export const GROUPS_KEYSET: KeysetRule = { orders: ['name asc'], by: 'cursor', anonymousOnly: true };

/** One page of the groups that the caller is shown. */
export async function pageOfGroups(
  db: Reader,
  caller: Caller,
  scope: GroupScope,
  listing: GroupListing,
  page: PageRequest,
): Promise<Page<GroupRow>> {
  const { order_by: order, sort, search } = listing;
  const common = search ? (await areFewGroups(db)) || (await isCommonPart(db, search)) : false;
  const query = listGroups(db, caller, listing, scope, common);
  if (page.kind === 'offset') {
    return paged(db, orderGroups(query, order, sort, search), page, search && !common ? 'gathered' : undefined);
  }
  const { sort: direction, perPage, after } = page;
  const { items } = await keyset(query, 'namespaces.name', 'namespaces.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return keysetPage(page, items, GROUPS_KEYSET, ({ name }) => name);
}

/** The same of all groups there are; far into them the public comes by keyset only. */
export async function pageOfAllGroups(
  db: Reader,
  caller: Caller,
  listing: GroupListing,
  page: PageRequest,
): Promise<Page<GroupRow> | Failure<'offsetTooFar'>> {
  const refusal = isSignedIn(caller) ? null : await beyondOffset(db, page);
  return refusal ?? pageOfGroups(db, caller, 'everywhere', listing, page);
}
