import { sql } from 'kysely';
import { toResource } from '#activity/index.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf, type GroupOrProject } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findLabelsByTitles, findOrCreateLabels } from '../labels/index.ts';
import { type LabelableTables, memoizeByTables } from './kind.ts';
import { diffSets, type SetChange, updateLinks } from './link-tables.ts';

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
  /** Replaces all labels. */
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
  const keptLabels = labels == null ? currentLabels : currentLabels.filter(({ title }) => labels.includes(title));
  const keptTitles = new Set(keptLabels.map(({ title }) => title));
  const missingTitles = [...(labels ?? []), ...(add_labels ?? [])].filter((title) => !keptTitles.has(title));
  const newLabels = missingTitles.length === 0 ? [] : await findOrCreateLabels(uow, parent, missingTitles);
  const removedTitles = new Set(remove_labels ?? []);
  return [...keptLabels, ...newLabels].filter(({ title }) => !removedTitles.has(title)).map(({ id }) => id);
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
