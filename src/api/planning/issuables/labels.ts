import { sql } from 'kysely';
import { toResource } from '#activity/index.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf, type GroupOrProject } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findLabelsByTitles, findOrCreateLabels } from '../labels/index.ts';
import { type LabelableTables, memoizeByTables } from './kind.ts';

/** Loads the labels of these issuables, sorted by title. index: issue_labels_pkey, labels primary key */
export async function loadLabels(db: Reader, tables: LabelableTables, ids: readonly number[]) {
  const rows = await selectLabels(tables)(db, ids);
  return rows.sort((left, right) =>
    left.title < right.title ? -1 : left.title > right.title ? 1 : left.id - right.id,
  );
}

const selectLabels = memoizeByTables((tables: LabelableTables) =>
  prepareForIds((db, ids) =>
    db
      .selectFrom(tables.labelTable)
      .innerJoin('labels', 'labels.id', `${tables.labelTable}.label_id`)
      .select(['labels.id', 'labels.title', 'labels.color', 'labels.archived'])
      .select(foreignKeyRef(tables).as('issuable_id'))
      .where(foreignKeyRef(tables), 'in', ids),
  ),
);

const foreignKeyRef = (tables: LabelableTables) => sql.ref<number>(`${tables.labelTable}.${tables.foreignKey}`);

/** Label titles in a request. */
export interface LabelInput {
  /** The titles that replace all present ones. */
  readonly labels?: readonly string[] | null | undefined;
  readonly add_labels?: readonly string[] | null | undefined;
  readonly remove_labels?: readonly string[] | null | undefined;
}

type AppliedLabel = Columns<'labels', 'id' | 'title'>;

/** Returns the ids of the labels after the update. Creates unknown labels if the caller may, else skips them. */
export async function resolveLabels(
  uow: UnitOfWork,
  parent: GroupOrProject,
  currentLabels: readonly AppliedLabel[],
  { labels, add_labels, remove_labels }: LabelInput,
): Promise<number[]> {
  const remainingLabels = labels == null ? currentLabels : currentLabels.filter(({ title }) => labels.includes(title));
  const remainingTitles = new Set(remainingLabels.map(({ title }) => title));
  const missingTitles = [...(labels ?? []), ...(add_labels ?? [])].filter((title) => !remainingTitles.has(title));
  const newLabels = missingTitles.length === 0 ? [] : await findOrCreateLabels(uow, parent, missingTitles);
  const removedTitles = new Set(remove_labels ?? []);
  return [...remainingLabels, ...newLabels].filter(({ title }) => !removedTitles.has(title)).map(({ id }) => id);
}

/** Adds and removes labels of an issuable and records label events. index: issue_labels_pkey */
export async function updateLabels(
  uow: UnitOfWork,
  tables: LabelableTables,
  id: number,
  change: SetChange,
): Promise<void> {
  await updateLinks(uow, toLabelLinkTable(tables), id, change);
  const { removed, added } = diffSets(change);
  await uow.record({ labelsOf: toResource({ [tables.foreignKey]: id }), removedIds: removed, addedIds: added });
}

/** Inserts the labels of an imported issuable without label events. */
export function insertImportedLabels(
  tx: Transaction,
  tables: LabelableTables,
  id: number,
  after: readonly number[],
): Promise<void> {
  return updateLinks(tx, toLabelLinkTable(tables), id, { before: [], after });
}

const toLabelLinkTable = (tables: LabelableTables) =>
  ({ table: tables.labelTable, ownerColumn: tables.foreignKey, targetColumn: 'label_id' }) as const;

/** Returns the ids of the labels with these titles that issuables of the project can have. */
export async function findLabelIds(db: Reader, project: Project, titles: readonly string[]): Promise<number[]> {
  const labelRows = await findLabelsByTitles(db, await ancestorsAndSelf(db, { project }), titles);
  return labelRows.map(({ id }) => id);
}

/** A join table, such as issue to label or issue to assignee. */
interface LinkTable {
  readonly table: string;
  /** Foreign key to the issuable. */
  readonly ownerColumn: string;
  readonly targetColumn: 'label_id' | 'user_id';
  /** Column with the creation time, if the table has one. */
  readonly createdAtColumn?: 'created_at' | undefined;
}

/** Ids of the linked labels or users before and after an update. */
export interface SetChange {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Returns the ids that the update removes and adds. */
const diffSets = ({ before, after }: SetChange) => ({
  removed: before.filter((id) => !after.includes(id)),
  added: after.filter((id) => !before.includes(id)),
});

/** Inserts and deletes rows of a join table. Unchanged rows keep their order. */
export async function updateLinks(
  tx: Transaction,
  { table, ownerColumn, targetColumn, createdAtColumn }: LinkTable,
  ownerId: number,
  change: SetChange,
): Promise<void> {
  const linkTable = sql.table(table);
  const ownerColumnRef = sql.ref(ownerColumn);
  const targetColumnRef = sql.ref<number>(targetColumn);
  const { removed, added } = diffSets(change);
  if (removed.length > 0) {
    const isRemoved = isInIds(tx, targetColumnRef, removed);
    await sql`delete from ${linkTable} where ${ownerColumnRef} = ${ownerId} and ${isRemoved}`.execute(tx);
  }
  if (added.length > 0) {
    const columns = [ownerColumnRef, targetColumnRef, ...(createdAtColumn ? [sql.ref(createdAtColumn)] : [])];
    const values = added.map(
      (targetId) => sql`(${sql.join([ownerId, targetId, ...(createdAtColumn ? [tx.now] : [])])})`,
    );
    await sql`insert into ${linkTable} (${sql.join(columns)}) values ${sql.join(values)}`.execute(tx);
  }
}
