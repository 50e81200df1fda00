import { type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { COUNT_LIMIT, countUpTo, type Page, paginate } from '#database/page.ts';
import type { EnvironmentState } from '#database/schema.ts';
import { escapeLike, like } from '#database/search/substring-search.ts';
import { type EnvironmentRow, environmentColumns, findEnvironments } from '#domain/environments.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Filters of a list; absent or null means no filter. */
interface EnvironmentFilter {
  readonly name?: string | null | undefined;
  readonly search?: string | null | undefined;
  readonly states?: EnvironmentState | null | undefined;
}

/** Returns one page of the environments of a project, oldest first. */
export async function listEnvironments(
  db: Reader,
  projectId: number,
  { search, ...filters }: EnvironmentFilter,
  page: OffsetRequest,
): Promise<Page<EnvironmentRow>> {
  if (search == null) return paginate(db, buildEnvironmentQuery(db, projectId, filters), page);
  const idQuery = buildPrefixQuery(db, projectId, foldCase(search), filters);
  const count = await countUpTo(db, idQuery, COUNT_LIMIT + 1);
  // For a frequent prefix, scanning the list finds the first pages fastest.
  if (count > COUNT_LIMIT && page.page * page.perPage <= COUNT_LIMIT) {
    const searchQuery = buildEnvironmentQuery(db, projectId, filters).where(hasPrefixByScan(foldCase(search)));
    return paginate(db, searchQuery, page, async () => count);
  }
  const idPage = await paginate(db, idQuery.orderBy('id', 'asc'), page, async () => count);
  const rows = await findEnvironments(
    db,
    idPage.items.map(({ id }) => id),
  );
  return { ...idPage, items: rows.toSorted((a, b) => a.id - b.id) };
}

/** Selects the environments of a project, by id. index: environments_by_project, environments_by_state, environments_by_name */
export function buildEnvironmentQuery(db: Reader, projectId: number, { name, states }: EnvironmentFilter) {
  let query = db.selectFrom('environments').select(environmentColumns).where('environments.project_id', '=', projectId);
  if (states != null) query = query.where('environments.state', '=', states);
  // A name matches at most one row.
  return name == null ? query.orderBy('environments.id', 'asc') : query.where('environments.name', '=', name);
}

/**
 * Selects the distinct ids of environments whose name, or its part after the folder, has this prefix. Reads only the indexes.
 * index: environments_by_name_key, environments_by_rest_key
 */
export function buildPrefixQuery(db: Reader, projectId: number, prefix: string, { states }: EnvironmentFilter) {
  const environments = db
    .selectFrom('environments')
    .select('environments.id')
    .where('environments.project_id', '=', projectId)
    .$if(states != null, (query) => query.where('environments.state', '=', states!));
  const byName = environments.where(hasPrefixByIndex('name_key', prefix));
  const byNameInFolder = environments
    .where(hasPrefixByIndex('rest_key', prefix))
    .where((eb) => eb.not(hasPrefixByIndex('name_key', prefix)));
  return db.selectFrom(byName.unionAll(byNameInFolder).as('matches')).select('matches.id');
}

/** Sorts after every character that names can have. */
const HIGHEST_CHARACTER = '\uffff';

/** Returns the condition that a column has this prefix, as a range of its index. */
function hasPrefixByIndex(column: 'name_key' | 'rest_key', prefix: string) {
  const key = sql.ref(`environments.${column}`);
  return sql<SqlBool>`(${key} >= ${prefix} and ${key} < ${prefix + HIGHEST_CHARACTER})`;
}

/** Returns the same condition for a scan, without an index. */
function hasPrefixByScan(prefix: string) {
  const pattern = `${escapeLike(prefix)}%`;
  const matchesColumn = (column: string) => like(sql<string>`${sql.ref(`environments.${column}`)}`, pattern);
  return sql<SqlBool>`(${matchesColumn('name_key')} or ${matchesColumn('rest_key')})`;
}

/** Deletes the row if the environment is stopped. index: environments primary key */
export async function deleteStoppedRow(tx: Transaction, environmentId: number): Promise<void> {
  await tx
    .deleteFrom('environments')
    .where('id', '=', environmentId)
    .where('state', '=', sql.lit('stopped' as const))
    .execute();
}
