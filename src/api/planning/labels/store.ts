import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { containsWordsUnindexed, parseSearchWords } from '#database/search/word-search.ts';
import {
  ancestorsAndSelf,
  type GroupOrProjectRef,
  isInScope,
  type NamespaceScope,
  type OwnerColumns,
  sortNearestFirst,
  toNamespaceOwnerColumns,
} from '#domain/namespaces/scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { isPresent } from '#http/parameters/declarations.ts';

/** The label columns that responses for issuables include; the description is loaded separately. */
export type LabelBasicRow = Columns<'labels', 'id' | 'title' | 'color' | 'archived'>;

/** A label in a list of a project or group. */
export interface LabelListRow extends LabelBasicRow, Columns<'labels', 'project_id' | 'group_id' | 'updated_at'> {
  /** The priority in the project; null without one, or if the label is listed for a group. */
  readonly priority: number | null;
  /** Id of the project for which the label is listed; null if it is listed for a group. */
  readonly listed_for_project_id: number | null;
}

export interface LabelRow extends LabelListRow {
  readonly description: string | null;
}

const labelBasicColumns = ['labels.id', 'labels.title', 'labels.color', 'labels.archived'] as const;

/**
 * Selects the labels whose project or group is in the scope or, if `ownerCondition` is given, fulfils this condition.
 * index: labels_by_project, labels_by_group, label_priorities_pkey
 */
function selectListedLabels(db: Reader, scope: NamespaceScope, ownerCondition: RawBuilder<SqlBool> | null = null) {
  return db
    .selectFrom('labels')
    .select([...labelBasicColumns, 'labels.project_id', 'labels.group_id', 'labels.updated_at'])
    .select((eb) =>
      eb
        .selectFrom('label_priorities')
        .select('label_priorities.priority')
        .whereRef('label_priorities.label_id', '=', 'labels.id')
        .where('label_priorities.project_id', '=', scope.projectId ?? 0)
        .as('priority'),
    )
    .select(sql<number | null>`cast(${scope.projectId} as integer)`.as('listed_for_project_id'))
    .where(ownerCondition ?? isInScope('labels', scope));
}

const selectLabels = (db: Reader, scope: NamespaceScope, ownerCondition: RawBuilder<SqlBool> | null = null) =>
  selectListedLabels(db, scope, ownerCondition).select('labels.description');

interface LabelFilter {
  readonly search?: string | null | undefined;
  readonly archived?: boolean | null | undefined;
  /** Condition on the project or group of a row, in place of `isInScope`. */
  readonly ownerCondition?: RawBuilder<SqlBool> | null;
}

/** Returns one page of labels, ordered by title. */
export function listLabels(
  db: Reader,
  scope: NamespaceScope,
  { search, archived, ownerCondition }: LabelFilter,
  page: OffsetRequest,
): Promise<Page<LabelListRow>> {
  const words = parseSearchWords(foldCase(search ?? ''));
  const query = selectListedLabels(db, scope, ownerCondition)
    .where(containsWordsUnindexed(db, 'labels', ['title_key', 'description_key'], words))
    .$if(isPresent(archived), (labelsQuery) => labelsQuery.where('labels.archived', '=', archived as boolean));
  return paginate(db, query.orderBy('labels.title').orderBy('labels.id'), page);
}

/** Returns the label with this id if it is in the scope, else null. */
export async function findLabel(
  db: Reader,
  scope: NamespaceScope,
  id: number,
  ownerCondition: RawBuilder<SqlBool> | null = null,
): Promise<LabelRow | null> {
  return (await selectLabels(db, scope, ownerCondition).where('labels.id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * Returns the label with this title in the scope, or null. After transfers several can have it: then returns the one of the project
 * or the nearest group. `ownerCondition` includes labels outside the scope, which are found last.
 */
export async function findLabelByTitle(
  db: Reader,
  scope: NamespaceScope,
  title: string,
  ownerCondition: RawBuilder<SqlBool> | null = null,
): Promise<LabelRow | null> {
  const rows = await selectLabels(db, scope).where('labels.title', '=', title).execute();
  const nearest = sortNearestFirst(scope, rows)[0];
  if (nearest !== undefined || ownerCondition === null) return nearest ?? null;
  // Very many projects below a group can have a label with this title: read only one of them.
  const query = selectLabels(db, scope, ownerCondition).where('labels.title', '=', title).orderBy('labels.id').limit(1);
  return (await query.executeTakeFirst()) ?? null;
}

/**
 * Returns the labels with these titles in the scope. If several labels have the same title, returns the one of the nearest
 * owner.
 */
export async function findLabelsByTitles(
  db: Reader,
  scope: NamespaceScope,
  titles: readonly string[],
): Promise<LabelBasicRow[]> {
  if (titles.length === 0) return [];
  const rows = await selectListedLabels(db, scope).where('labels.title', 'in', titles).execute();
  // The nearest label of a title comes last, so that it replaces the others in the map.
  return [
    ...new Map(
      sortNearestFirst(scope, rows)
        .toReversed()
        .map((row) => [row.title, row]),
    ).values(),
  ];
}

/** Returns labels by id without an access check; missing ones are omitted. index: labels primary key */
export const loadLabelsByIds = prepareForIds<LabelBasicRow>((db, ids) =>
  db.selectFrom('labels').select(labelBasicColumns).where('labels.id', 'in', ids),
);

/** The attributes of a label that users write. */
export type LabelContent = Columns<'labels', 'title' | 'color' | 'description'>;

const toLabelColumns = ({ title, color, description }: LabelContent) => ({
  title,
  title_key: foldCase(title),
  color,
  description,
  description_key: description === null ? null : foldCase(description),
});

/** Inserts labels and returns their ids. Titles that already exist are skipped. */
export async function insertLabels(
  tx: Transaction,
  owner: OwnerColumns,
  labels: readonly (LabelContent & { readonly archived?: boolean | null | undefined })[],
): Promise<number[]> {
  if (labels.length === 0) return [];
  const timestamps = { created_at: tx.now, updated_at: tx.now };
  const rows = await tx
    .insertInto('labels')
    .values(
      labels.map((label) => ({ ...owner, ...toLabelColumns(label), archived: label.archived ?? false, ...timestamps })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Updates a label and returns whether it existed. */
export async function updateLabelRow(
  tx: Transaction,
  id: number,
  { archived, ...content }: LabelContent & { readonly archived: boolean },
): Promise<boolean> {
  const updatedRow = await tx
    .updateTable('labels')
    .set({ ...toLabelColumns(content), archived, updated_at: tx.now })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return updatedRow !== undefined;
}

/** The tables that link labels to issuables. */
export const LABEL_LINKS = [
  { table: 'issue_labels', idColumn: 'issue_id' },
  { table: 'merge_request_labels', idColumn: 'merge_request_id' },
  { table: 'epic_labels', idColumn: 'epic_id' },
] as const;

/**
 * Removes the label from at most `limit` issuables and returns their number.
 * index: issue_labels_by_label, merge_request_labels_by_label, epic_labels_by_label
 */
export async function removeLabelBatch(
  tx: Transaction,
  { table, idColumn }: (typeof LABEL_LINKS)[number],
  id: number,
  limit: number,
): Promise<number> {
  const [tableRef, idRef] = [sql.table(table), sql.ref(idColumn)];
  const deleteResult = await sql`delete from ${tableRef} where label_id = ${id} and ${idRef} in
    (select ${idRef} from ${tableRef} where label_id = ${id} order by ${idRef} limit ${sql.lit(limit)})`.execute(tx);
  return Number(deleteResult.numAffectedRows ?? 0);
}

/** Deletes the label, and with it its links, by foreign keys. Returns whether it existed. */
export async function deleteLabelRow(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.deleteFrom('labels').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/** Sets the priority of a label in a project; null removes it. index: label_priorities_pkey */
export async function setLabelPriority(
  tx: Transaction,
  projectId: number,
  labelId: number,
  priority: number | null,
): Promise<void> {
  if (priority === null) {
    await tx
      .deleteFrom('label_priorities')
      .where('project_id', '=', projectId)
      .where('label_id', '=', labelId)
      .execute();
    return;
  }
  await tx
    .insertInto('label_priorities')
    .values({ project_id: projectId, label_id: labelId, priority })
    .onConflict((conflict) => conflict.columns(['project_id', 'label_id']).doUpdateSet({ priority }))
    .execute();
}

/**
 * Maps labels to labels of the same title in this project or group or its ancestors. Creates missing ones in it.
 * Returns new ids by old id.
 */
export async function mapLabelsToParent(
  tx: Transaction,
  parent: GroupOrProjectRef,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  // index: labels primary key
  const oldLabels = await tx
    .selectFrom('labels')
    .select(['id', 'title', 'color', 'description'])
    .where((eb) => isInIds(tx, eb.ref('id'), ids))
    .execute();
  const titles = oldLabels.map(({ title }) => title);
  const scope = await ancestorsAndSelf(tx, parent);
  const existingTitles = new Set((await findLabelsByTitles(tx, scope, titles)).map(({ title }) => title));
  const missingLabels = new Map(
    oldLabels.filter(({ title }) => !existingTitles.has(title)).map((label) => [label.title, label]),
  );
  await insertLabels(tx, toNamespaceOwnerColumns(parent), [...missingLabels.values()]);
  const idsByTitle = new Map((await findLabelsByTitles(tx, scope, titles)).map(({ id, title }) => [title, id]));
  const newIdsByOldId = new Map(oldLabels.map(({ id, title }) => [id, idsByTitle.get(title)!]));
  if (parent.project) await copyPriorities(tx, parent.project.id, newIdsByOldId);
  return newIdsByOldId;
}

/** Gives the new labels the priorities that the project has set for the old ones. */
async function copyPriorities(
  tx: Transaction,
  projectId: number,
  newIdsByOldId: ReadonlyMap<number, number>,
): Promise<void> {
  for (const { label_id, priority } of await listPriorities(tx, projectId, [...newIdsByOldId.keys()])) {
    await setLabelPriority(tx, projectId, newIdsByOldId.get(label_id)!, priority);
  }
}

/** index: label_priorities_pkey */
function listPriorities(db: Reader, projectId: number, ids: readonly number[]) {
  return db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('project_id', '=', projectId)
    .where((eb) => isInIds(db, eb.ref('label_id'), ids))
    .execute();
}
