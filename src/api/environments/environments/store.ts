import { type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { countLimit, countUpTo, type Page, paged } from '#database/page.ts';
import { escapeLike, like } from '#database/search/substring-search.ts';
import type { EnvironmentState } from '#database/tables/environments.ts';
import { type EnvironmentRow, environmentColumns, findEnvironments } from '#domain/environments.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** What a list of environments is narrowed to; absent or null: not by this. */
export interface EnvironmentFilters {
  readonly name?: string | null | undefined;
  readonly search?: string | null | undefined;
  readonly states?: EnvironmentState | null | undefined;
}

/** One page of a project's environments, the oldest first. */
export async function listEnvironments(
  db: Reader,
  projectId: number,
  { search, ...filters }: EnvironmentFilters,
  page: OffsetRequest,
): Promise<Page<EnvironmentRow>> {
  if (search == null) return paged(db, environmentsOf(db, projectId, filters), page);
  const beginning = beginningWith(db, projectId, foldCase(search), filters);
  const count = await countUpTo(db, beginning, countLimit + 1);
  // Of what very many begin with the first pages are found soonest by looking through the list.
  if (count > countLimit && page.page * page.perPage <= countLimit) {
    const walked = environmentsOf(db, projectId, filters).where(beginsWith(foldCase(search)));
    return paged(db, walked, page, async () => count);
  }
  const ids = await paged(db, beginning.orderBy('id', 'asc'), page, async () => count);
  const rows = await findEnvironments(
    db,
    ids.items.map(({ id }) => id),
  );
  return { ...ids, items: rows.toSorted((one, other) => one.id - other.id) };
}

/** Those of a project, by id. index: environments_by_project, environments_by_state, environments_by_name */
export function environmentsOf(db: Reader, projectId: number, { name, states }: EnvironmentFilters) {
  let query = db.selectFrom('environments').select(environmentColumns).where('environments.project_id', '=', projectId);
  if (states != null) query = query.where('environments.state', '=', states);
  // There is one at most, which needs no order.
  return name == null ? query.orderBy('environments.id', 'asc') : query.where('environments.name', '=', name);
}

/**
 * The ids of those whose name begins so, or what follows their folder, each once: all of it stands in the indexes.
 * index: environments_by_name_key, environments_by_rest_key
 */
export function beginningWith(db: Reader, projectId: number, part: string, { states }: EnvironmentFilters) {
  const all = db
    .selectFrom('environments')
    .select('environments.id')
    .where('environments.project_id', '=', projectId)
    .$if(states != null, (query) => query.where('environments.state', '=', states!));
  const byName = all.where(inRange('name_key', part));
  const byRest = all.where(inRange('rest_key', part)).where((eb) => eb.not(inRange('name_key', part)));
  return db.selectFrom(byName.unionAll(byRest).as('found')).select('found.id');
}

/** Behind every character that names have. */
const LAST = '\uffff';

function inRange(column: 'name_key' | 'rest_key', part: string) {
  const key = sql.ref(`environments.${column}`);
  return sql<SqlBool>`(${key} >= ${part} and ${key} < ${part + LAST})`;
}

/** The same as no index is asked for it. */
function beginsWith(part: string) {
  const pattern = `${escapeLike(part)}%`;
  const fits = (column: string) => like(sql<string>`${sql.ref(`environments.${column}`)}`, pattern);
  return sql<SqlBool>`(${fits('name_key')} or ${fits('rest_key')})`;
}

/** Of one that has stopped. index: environments primary key */
export async function deleteStopped(tx: Transaction, environmentId: number): Promise<void> {
  await tx
    .deleteFrom('environments')
    .where('id', '=', environmentId)
    .where('state', '=', sql.lit('stopped' as const))
    .execute();
}
