import { type SqlBool, sql } from 'kysely';
import { type EnvironmentRow, environmentColumns } from '../../../access/environments.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import { countLimit, countUpTo, type Page, paged } from '../../../database/page.ts';
import { escapeLike, like } from '../../../database/search.ts';
import type { EnvironmentState } from '../../../database/tables/environments.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';

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
  filters: EnvironmentFilters,
  page: OffsetRequest,
): Promise<Page<EnvironmentRow>> {
  const { query, many } = await filtered(db, projectId, filters);
  const found = query.select(environmentColumns).orderBy('environments.id', 'asc');
  return paged(db, found, page, many ? async () => countLimit + 1 : undefined);
}

/** index: environments_by_project, environments_by_state, environments_by_name */
async function filtered(db: Reader, projectId: number, { name, search, states }: EnvironmentFilters) {
  let query = db.selectFrom('environments').where('environments.project_id', '=', projectId);
  if (states != null) query = query.where('environments.state', '=', states);
  if (name != null) query = query.where('environments.name', '=', name);
  if (search == null) return { query, many: false };
  const part = foldCase(search);
  const ids = idsBeginningWith(db, projectId, part);
  // Of what very many begin with, a page is found soonest by looking through the list; of all else, by the beginnings.
  const isCommon = (await countUpTo(db, ids, countLimit + 1)) > countLimit;
  return isCommon
    ? { query: query.where(beginsWith(part)), many: states == null }
    : { query: query.where('environments.id', 'in', ids), many: false };
}

/** The ids of those whose name begins so, or what follows their folder. index: environments_by_name_key, environments_by_rest_key */
function idsBeginningWith(db: Reader, projectId: number, part: string) {
  const inRange = (column: 'name_key' | 'rest_key') =>
    db
      .selectFrom('environments as beginning')
      .select('beginning.id')
      .where('beginning.project_id', '=', projectId)
      .where(`beginning.${column}`, '>=', part)
      .where(`beginning.${column}`, '<', `${part}${LAST}`);
  return inRange('name_key').union(inRange('rest_key'));
}

/** Behind every character that names have. */
const LAST = '\uffff';

function beginsWith(part: string) {
  const pattern = `${escapeLike(part)}%`;
  const column = (name: string) => like(sql<string>`${sql.ref(`environments.${name}`)}`, pattern);
  return sql<SqlBool>`(${column('name_key')} or ${column('rest_key')})`;
}

/** What may be changed of an environment. */
export type EnvironmentChange = Partial<
  Pick<EnvironmentRow, 'external_url' | 'tier' | 'description' | 'auto_stop_setting'>
>;

/** index: environments primary key */
export function changeEnvironment(
  tx: Transaction,
  environmentId: number,
  change: EnvironmentChange,
): Promise<EnvironmentRow> {
  return tx
    .updateTable('environments')
    .set({ ...change, updated_at: tx.now })
    .where('id', '=', environmentId)
    .returning(environmentColumns)
    .executeTakeFirstOrThrow();
}

/** Of one that has stopped. index: environments primary key */
export async function deleteStopped(tx: Transaction, environmentId: number): Promise<void> {
  await tx
    .deleteFrom('environments')
    .where('id', '=', environmentId)
    .where('state', '=', sql.lit('stopped' as const))
    .execute();
}
