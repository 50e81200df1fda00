import { sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { paginate, scanMatches } from '#database/page.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import {
  type KeysetRequest,
  type KeysetRule,
  type ListPage,
  type OffsetRequest,
  type PageRequest,
  toKeysetPage,
} from '#http/lists/pagination.ts';
import {
  findCommonWords,
  hasManyProjects,
  isSelective,
  orderProjects,
  type ProjectFilter,
  type ProjectIdsQuery,
  type ProjectOrder,
  type SortDirection,
  selectProjectIds,
} from '../store.ts';

/** Keyset pagination of GET /projects (contract/conventions.md §6). The default order does not support it. */
export const PROJECTS_KEYSET: KeysetRule = {
  orders: ['id desc', 'id asc'],
  cursorKind: 'id',
  defaultOrderBy: 'created_at',
};

export interface ProjectListOptions {
  readonly filter: ProjectFilter;
  readonly order: ProjectOrder;
  readonly direction: SortDirection;
  readonly page: PageRequest;
}

/**
 * Returns one page of the projects that the caller can see. Runs at most five queries, and two for each search word
 * that is looked up in an index.
 */
export async function loadProjectPage(
  db: Reader,
  caller: Caller,
  { filter, order, direction, page }: ProjectListOptions,
): Promise<ListPage<Project>> {
  const { namespace } = filter;
  const scanInOrder = namespace !== undefined && (await hasManyProjects(db, namespace));
  const commonWords = await findCommonWords(db, filter);
  const query = selectProjectIds(db, caller, { ...filter, scanInOrder }, commonWords);
  const collectsIds = isSelective(filter, commonWords) || (namespace !== undefined && !scanInOrder);
  const orderIds = (idsQuery: ProjectIdsQuery) => orderProjects(idsQuery, order, direction, filter.search);
  const ids =
    page.kind === 'keyset'
      ? await loadKeysetIds(query, page, filter)
      : collectsIds
        ? await paginate(db, orderIds(query), page, 'countInPageQuery')
        : await loadUnindexedPage(db, query, orderIds, page);
  const projects = await findProjects(
    db,
    caller,
    ids.items.map(({ id }) => id),
  );
  return { ...ids, items: projects };
}

/** Maximum number of matching projects whose ids are collected. */
const MAX_COLLECTED_PROJECTS = 1_000;

/**
 * Loads a page of a list that no index covers. Counts the matches first and collects their ids if they are few,
 * because the second scan, in the order of the list, might read all projects.
 */
async function loadUnindexedPage(
  db: Reader,
  query: ProjectIdsQuery,
  orderIds: (idsQuery: ProjectIdsQuery) => ProjectIdsQuery,
  page: OffsetRequest,
): Promise<ListPage<{ id: number }>> {
  const { buildMatchCondition: isMatch, count } = await scanMatches(db, query, MAX_COLLECTED_PROJECTS);
  const matchingIds = isMatch && db.selectFrom('projects').select('projects.id').where(isMatch(ID));
  return paginate(db, orderIds(matchingIds ?? query), page, count);
}

const ID = sql.ref<number>('projects.id');

/** Returns a keyset page of ids. `id_after` and `id_before` are filters, so the query already contains the cursor. */
async function loadKeysetIds(
  query: ProjectIdsQuery,
  page: KeysetRequest,
  filter: ProjectFilter,
): Promise<ListPage<{ id: number }>> {
  // index: projects primary key
  const rows = await query
    .orderBy('projects.id', page.sort)
    .limit(page.perPage + 1)
    .execute();
  const result = toKeysetPage(page, rows, PROJECTS_KEYSET);
  return {
    ...result,
    keyset: { next: result.keyset?.next ? { ...getOtherBound(page, filter), ...result.keyset.next } : null },
  };
}

/** Keeps the filter's other bound in the link to the next page. */
function getOtherBound({ sort }: KeysetRequest, { idAfter, idBefore }: ProjectFilter): Record<string, string> {
  if (sort === 'asc') return idBefore == null ? {} : { id_before: String(idBefore) };
  return idAfter == null ? {} : { id_after: String(idAfter) };
}
