import type { Reader } from '../../../database/database.ts';
import { keyset, paged } from '../../../database/page.ts';
import { mapPage, type Page } from '../../../http/endpoint/answers.ts';
import { type KeysetRule, keysetPage, type PageRequest } from '../../../http/lists/pagination.ts';
import type { Caller } from '../../../identity/caller.ts';
import { type GroupFilter, type GroupOrder, type GroupRow, type GroupScope, listGroups, orderGroups } from './store.ts';

/** How GET /groups is walked by keyset, by anonymous callers only (contract/conventions.md §6). */
export const GROUPS_KEYSET: KeysetRule = { orders: ['name asc'], by: 'cursor', anonymousOnly: true };

export interface GroupListing {
  readonly filter: GroupFilter;
  readonly scope: GroupScope;
  readonly order: GroupOrder;
  readonly sort: 'asc' | 'desc';
  readonly page: PageRequest;
  readonly today: string;
}

/** One page of the groups that the caller is shown. */
export async function pageOfGroups(db: Reader, caller: Caller, listing: GroupListing): Promise<Page<GroupRow>> {
  const { filter, scope, order, sort, page, today } = listing;
  const query = listGroups(db, caller, filter, scope, today);
  if (page.kind === 'offset') return paged(db, orderGroups(query, order, sort, filter.search), page);
  const { sort: direction, perPage, after } = page;
  const { items } = await keyset(query, 'namespaces.name', 'namespaces.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return mapPage(
    keysetPage(page, items, GROUPS_KEYSET, ({ name }) => name),
    (rows) => [...rows],
  );
}
