import { type Caller, isSignedIn } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { paginate, paginateByKey } from '#database/page.ts';
import { isCommonSearchTerm } from '#domain/namespaces/namespaces.ts';
import { checkOffsetLimit } from '#http/lists/offset-limit.ts';
import type { ListPage } from '#http/lists/page.ts';
import { type KeysetRule, type PageRequest, toKeysetPage } from '#http/lists/pagination.ts';
import type { Failure } from '#runtime/failure.ts';
import type { GroupListInput } from './parameters.ts';
import { type GroupRow, type GroupScope, hasFewGroups, orderGroups, selectVisibleGroups } from './store.ts';

/** Keyset pagination of GET /groups, for anonymous callers only (contract/conventions.md §6). */
export const GROUPS_KEYSET: KeysetRule = { orders: ['name asc'], cursorKind: 'opaque', anonymousOnly: true };

/** Returns one page of the groups that the caller can see. */
export async function loadGroupPage(
  db: Reader,
  caller: Caller,
  scope: GroupScope,
  input: GroupListInput,
  page: PageRequest,
): Promise<ListPage<GroupRow>> {
  const { order_by: order, sort, search } = input;
  const isCommonSearch = search ? (await hasFewGroups(db)) || (await isCommonSearchTerm(db, search)) : false;
  const query = selectVisibleGroups(db, caller, input, scope, isCommonSearch);
  if (page.kind === 'offset') {
    return paginate(
      db,
      orderGroups(query, order, sort, search),
      page,
      search && !isCommonSearch ? 'countInPageQuery' : undefined,
    );
  }
  const { sort: direction, perPage, after } = page;
  const { items } = await paginateByKey(query, 'namespaces.name', 'namespaces.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return toKeysetPage(page, items, GROUPS_KEYSET, ({ name }) => name);
}

/**
 * Returns one page of all visible groups. The offset of anonymous callers is limited; beyond the limit they
 * use keyset pagination.
 */
export async function loadAllGroupsPage(
  db: Reader,
  caller: Caller,
  input: GroupListInput,
  page: PageRequest,
): Promise<ListPage<GroupRow> | Failure<'offsetTooFar'>> {
  const failure = isSignedIn(caller) ? null : await checkOffsetLimit(db, page);
  return failure ?? loadGroupPage(db, caller, 'everywhere', input, page);
}
