import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Reader, Schema, Transaction } from '../../../database/database.ts';
import { containingWordsUnindexed } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';
import { type Page, paged } from '../../../database/page.ts';
import { searchWords } from '../../../database/words.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';
import type { LabelSources } from './place.ts';

/** A label as all that bear it show it. */
export interface LabelBasicRow {
  readonly id: number;
  readonly title: string;
  readonly color: string;
  readonly description: string | null;
  readonly archived: boolean;
}

/** A label as its project or group shows it. */
export interface LabelRow extends LabelBasicRow {
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly updated_at: string;
  /** What the project that shows it has given it. */
  readonly priority: number | null;
}

export const labelBasicColumns = [
  'labels.id',
  'labels.title',
  'labels.color',
  'labels.description',
  'labels.archived',
] as const;

/** index: labels_by_project, labels_by_group, label_priorities_pkey */
function labelsOf(db: Reader, sources: LabelSources) {
  return db
    .selectFrom('labels')
    .select([...labelBasicColumns, 'labels.project_id', 'labels.group_id', 'labels.updated_at'])
    .select((eb) =>
      eb
        .selectFrom('label_priorities')
        .select('label_priorities.priority')
        .whereRef('label_priorities.label_id', '=', 'labels.id')
        .where('label_priorities.project_id', '=', sources.projectId ?? 0)
        .as('priority'),
    )
    .where(isIn(sources));
}

/** Labels of these places. */
export function isIn({ projectId, groupIds }: LabelSources) {
  return (eb: ExpressionBuilder<Schema, 'labels'>): Expression<SqlBool> =>
    eb.or([
      ...(projectId === null ? [] : [eb('labels.project_id', '=', projectId)]),
      ...(groupIds.length === 0 ? [] : [eb('labels.group_id', 'in', groupIds)]),
    ]);
}

/** One page of labels, by title. */
export function listLabels(
  db: Reader,
  sources: LabelSources,
  { search }: { readonly search?: string | null | undefined },
  page: OffsetRequest,
): Promise<Page<LabelRow>> {
  const words = searchWords(foldCase(search ?? ''));
  const found = labelsOf(db, sources).where(
    containingWordsUnindexed('labels', ['title_key', 'description_key'], words),
  );
  return paged(db, found.orderBy('labels.title').orderBy('labels.id'), page);
}

export async function findLabel(db: Reader, sources: LabelSources, id: number): Promise<LabelRow | null> {
  return (await labelsOf(db, sources).where('labels.id', '=', id).executeTakeFirst()) ?? null;
}

/** Of several with one title, which moves of projects and groups can bring together, the nearest. */
export async function findLabelTitled(db: Reader, sources: LabelSources, title: string): Promise<LabelRow | null> {
  const rows = await labelsOf(db, sources).where('labels.title', '=', title).execute();
  return nearest(sources, rows)[0] ?? null;
}

/** The labels with these titles: of several with one title the nearest. */
export async function labelsTitled(
  db: Reader,
  sources: LabelSources,
  titles: readonly string[],
): Promise<LabelBasicRow[]> {
  if (titles.length === 0) return [];
  const rows = await labelsOf(db, sources).where('labels.title', 'in', titles).execute();
  return [
    ...new Map(
      nearest(sources, rows)
        .toReversed()
        .map((row) => [row.title, row]),
    ).values(),
  ];
}

/** Those of the project first, then by group, the nearest first. */
function nearest(sources: LabelSources, rows: readonly LabelRow[]): LabelRow[] {
  const distance = ({ group_id }: LabelRow) => (group_id === null ? -1 : sources.groupIds.indexOf(group_id));
  return rows.toSorted((one, other) => distance(one) - distance(other));
}

/** What a label says of itself. */
export interface LabelContent {
  readonly title: string;
  readonly color: string;
  readonly description: string | null;
}

/** Whose it is. */
export type LabelOwner =
  | { readonly project_id: number; readonly group_id: null }
  | { readonly project_id: null; readonly group_id: number };

const kept = ({ title, color, description }: LabelContent) => ({
  title,
  title_key: foldCase(title),
  color,
  description,
  description_key: description === null ? null : foldCase(description),
});

/** The ids of the new labels; of titles that the owner has already, none. */
export async function insertLabels(
  tx: Transaction,
  owner: LabelOwner,
  labels: readonly LabelContent[],
): Promise<number[]> {
  if (labels.length === 0) return [];
  const times = { created_at: tx.now, updated_at: tx.now };
  const rows = await tx
    .insertInto('labels')
    .values(labels.map((label) => ({ ...owner, ...kept(label), ...times })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Was it there? */
export async function updateLabel(
  tx: Transaction,
  id: number,
  { archived, ...content }: LabelContent & { readonly archived: boolean },
): Promise<boolean> {
  const changed = await tx
    .updateTable('labels')
    .set({ ...kept(content), archived, updated_at: tx.now })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/** Was it there? Whatever bears it loses it. */
export async function deleteLabel(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.deleteFrom('labels').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/** Null: the project prefers it no longer. index: label_priorities_pkey */
export async function setPriority(
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
