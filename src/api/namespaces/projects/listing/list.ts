import { sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { lookThrough, paged } from '#database/page.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import type { Page } from '#http/lists/page.ts';
import {
  type KeysetRequest,
  type KeysetRule,
  keysetPage,
  type OffsetRequest,
  type PageRequest,
} from '#http/lists/pagination.ts';
import {
  commonWords,
  type Direction,
  holdsMuch,
  inOrder,
  isGathered,
  type ProjectFilter,
  type ProjectIds,
  type ProjectOrder,
  projectIds,
} from '../store.ts';

/** How GET /projects is walked by keyset (contract/conventions.md §6): the list's own order is no keyset order. */
export const PROJECTS_KEYSET: KeysetRule = {
  orders: ['id desc', 'id asc'],
  by: 'id',
  orderWithoutAsking: 'created_at',
};

export interface ProjectListing {
  readonly filter: ProjectFilter;
  readonly order: ProjectOrder;
  readonly direction: Direction;
  readonly page: PageRequest;
}

/** One page of the projects that the caller sees, in five queries at most, and two for each word of a search that is looked up. */
export async function pageOfProjects(
  db: Reader,
  caller: Caller,
  { filter, order, direction, page }: ProjectListing,
): Promise<Page<Project>> {
  const { namespace } = filter;
  const walked = namespace !== undefined && (await holdsMuch(db, namespace));
  const common = await commonWords(db, filter);
  const query = projectIds(db, caller, { ...filter, walked }, common);
  const gathered = isGathered(filter, common) || (namespace !== undefined && !walked);
  const ordered = (all: ProjectIds) => inOrder(all, order, direction, filter.search);
  const ids =
    page.kind === 'keyset'
      ? await keysetIds(query, page, filter)
      : gathered
        ? await paged(db, ordered(query), page, 'gathered')
        : await pageOfUnknown(db, query, ordered, page);
  const projects = await findProjects(
    db,
    caller,
    ids.items.map(({ id }) => id),
  );
  return { ...ids, items: projects };
}

/** So few are known by their ids. */
const FEW = 1_000;

/**
 * Of a list that no index tells. It is counted first, with the ids of those that are found to be few: these would be looked
 * for among all projects once more in the order of the list.
 */
async function pageOfUnknown(
  db: Reader,
  query: ProjectIds,
  ordered: (all: ProjectIds) => ProjectIds,
  page: OffsetRequest,
): Promise<Page<{ id: number }>> {
  const { isKnown, count } = await lookThrough(db, query, FEW);
  const known = isKnown && db.selectFrom('projects').select('projects.id').where(isKnown(ID));
  return paged(db, ordered(known ?? query), page, count);
}

const ID = sql.ref<number>('projects.id');

/** `id_after` and `id_before` are filters of the list, so the place where the page begins is in the query already. */
async function keysetIds(query: ProjectIds, page: KeysetRequest, filter: ProjectFilter): Promise<Page<{ id: number }>> {
  // index: projects primary key
  const rows = await query
    .orderBy('projects.id', page.sort)
    .limit(page.perPage + 1)
    .execute();
  const found = keysetPage(page, rows, PROJECTS_KEYSET);
  return {
    ...found,
    keyset: { next: found.keyset?.next ? { ...otherBound(page, filter), ...found.keyset.next } : null },
  };
}

/** The bound at the far end stays in the link. */
function otherBound({ sort }: KeysetRequest, { idAfter, idBefore }: ProjectFilter): Record<string, string> {
  if (sort === 'asc') return idBefore == null ? {} : { id_before: String(idBefore) };
  return idAfter == null ? {} : { id_after: String(idAfter) };
}
