import { sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
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

import { type Failure, fail } from '#runtime/failure.ts';
import { type ProjectListOptions, type ProjectListParams, toProjectListOptions } from '../parameters.ts';
import {
  findCommonWords,
  hasManyProjects,
  isSelective,
  isSizeOrder,
  orderProjects,
  type ProjectFilter,
  type ProjectIdsQuery,
  selectProjectIds,
} from '../store.ts';

/** Keyset pagination of GET /projects (contract/conventions.md §6). The default order does not support it. */
export const PROJECTS_KEYSET: KeysetRule = {
  orders: ['id desc', 'id asc'],
  cursorKind: 'id',
  defaultOrderBy: 'created_at',
};

/**
 * Returns one page of the projects that the caller can see. Runs at most five queries, and in addition two for each search word
 * whose frequency is checked.
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
  const { buildMatchCondition, count } = await scanMatches(db, query, MAX_COLLECTED_PROJECTS);
  const matchingIds =
    buildMatchCondition && db.selectFrom('projects').select('projects.id').where(buildMatchCondition(PROJECT_ID));
  return paginate(db, orderIds(matchingIds ?? query), page, count);
}

const PROJECT_ID = sql.ref<number>('projects.id');

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

/** Returns the bound of the filter that the cursor of the next page does not replace, for the link to that page. */
function getOtherBound({ sort }: KeysetRequest, { idAfter, idBefore }: ProjectFilter): Record<string, string> {
  if (sort === 'asc') return idBefore == null ? {} : { id_before: String(idBefore) };
  return idAfter == null ? {} : { id_after: String(idAfter) };
}

/** The error of lists with `projectListParams`. */
export const UPDATED_AT_ERRORS = {
  unpaired: [400, '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired'],
} as const;

/** Returns one page of the projects that match the parameters. `pathFilter`: conditions from the URL path. */
export async function listProjectsByParams(
  db: Reader,
  caller: Caller,
  params: ProjectListParams,
  page: PageRequest,
  pathFilter: ProjectFilter = {},
): Promise<ListPage<Project> | Failure<'unpaired'>> {
  if (isUnpaired(params)) return fail('unpaired');
  const options = toProjectListOptions(params, page, pathFilter);
  const order = isSizeOrder(options.order) && !isAdministrator(caller) ? 'created_at' : options.order;
  return loadProjectPage(db, caller, { ...options, order });
}

/** Returns whether `updated_after` or `updated_before` is used without the order `updated_at`, which it requires. */
function isUnpaired({ order_by, updated_after, updated_before }: ProjectListParams): boolean {
  return order_by !== 'updated_at' && (updated_after ?? updated_before) != null;
}
