import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paged } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { searchWords } from '#database/search/query-words.ts';
import { containingWordsUnindexed } from '#database/search/word-search.ts';
import { nearestFirst, type Owner, type Reach, within } from '#domain/namespaces/scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** A label as all that bear it show it; its description is read besides. */
export interface LabelBasicRow {
  readonly id: number;
  readonly title: string;
  readonly color: string;
  readonly archived: boolean;
}

/** A label as its project or group lists it. */
export interface LabelListed extends LabelBasicRow {
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly updated_at: string;
  /** What the project that shows it has given it. */
  readonly priority: number | null;
  /** That project; null: a group shows it. */
  readonly shown_in: number | null;
}

export interface LabelRow extends LabelListed {
  readonly description: string | null;
}

export const labelBasicColumns = ['labels.id', 'labels.title', 'labels.color', 'labels.archived'] as const;

/** index: labels_by_project, labels_by_group, label_priorities_pkey */
function listedLabels(db: Reader, reach: Reach) {
  return db
    .selectFrom('labels')
    .select([...labelBasicColumns, 'labels.project_id', 'labels.group_id', 'labels.updated_at'])
    .select((eb) =>
      eb
        .selectFrom('label_priorities')
        .select('label_priorities.priority')
        .whereRef('label_priorities.label_id', '=', 'labels.id')
        .where('label_priorities.project_id', '=', reach.projectId ?? 0)
        .as('priority'),
    )
    .select(sql<number | null>`cast(${reach.projectId} as integer)`.as('shown_in'))
    .where(within('labels', reach));
}

const labelsOf = (db: Reader, reach: Reach) => listedLabels(db, reach).select('labels.description');

/** One page of labels, by title. */
export function listLabels(
  db: Reader,
  reach: Reach,
  { search }: { readonly search?: string | null | undefined },
  page: OffsetRequest,
): Promise<Page<LabelListed>> {
  const words = searchWords(foldCase(search ?? ''));
  const found = listedLabels(db, reach).where(
    containingWordsUnindexed(db, 'labels', ['title_key', 'description_key'], words),
  );
  return paged(db, found.orderBy('labels.title').orderBy('labels.id'), page);
}

export async function findLabel(db: Reader, reach: Reach, id: number): Promise<LabelRow | null> {
  return (await labelsOf(db, reach).where('labels.id', '=', id).executeTakeFirst()) ?? null;
}

/** Of several with one title, which moves of projects and groups can bring together, the nearest. */
export async function findLabelTitled(db: Reader, reach: Reach, title: string): Promise<LabelRow | null> {
  const rows = await labelsOf(db, reach).where('labels.title', '=', title).execute();
  return nearestFirst(reach, rows)[0] ?? null;
}

/** The labels with these titles: of several with one title the nearest. */
export async function labelsTitled(db: Reader, reach: Reach, titles: readonly string[]): Promise<LabelBasicRow[]> {
  if (titles.length === 0) return [];
  const rows = await listedLabels(db, reach).where('labels.title', 'in', titles).execute();
  return [
    ...new Map(
      nearestFirst(reach, rows)
        .toReversed()
        .map((row) => [row.title, row]),
    ).values(),
  ];
}

/** Labels by their ids, whoever asks; missing ones are left out. index: labels primary key */
export const labelsByIds = prepareForIds<LabelBasicRow>((db, ids) =>
  db.selectFrom('labels').select(labelBasicColumns).where('labels.id', 'in', ids),
);

/** What a label says of itself. */
export interface LabelContent {
  readonly title: string;
  readonly color: string;
  readonly description: string | null;
}

const kept = ({ title, color, description }: LabelContent) => ({
  title,
  title_key: foldCase(title),
  color,
  description,
  description_key: description === null ? null : foldCase(description),
});

/** The ids of the new labels; of titles that the owner has already, none. */
export async function insertLabels(tx: Transaction, owner: Owner, labels: readonly LabelContent[]): Promise<number[]> {
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

/** What bears labels. */
export const BEARERS = [
  { table: 'issue_labels', thing: 'issue_id' },
  { table: 'merge_request_labels', thing: 'merge_request_id' },
  { table: 'epic_labels', thing: 'epic_id' },
] as const;

/** Takes it off some things; says how many. index: issue_labels_by_label, merge_request_labels_by_label, epic_labels_by_label */
export async function takeLabelOff(
  tx: Transaction,
  { table, thing }: (typeof BEARERS)[number],
  id: number,
  most: number,
): Promise<number> {
  const [rows, things] = [sql.table(table), sql.ref(thing)];
  const taken = await sql`delete from ${rows} where label_id = ${id} and ${things} in
    (select ${things} from ${rows} where label_id = ${id} order by ${things} limit ${most})`.execute(tx);
  return Number(taken.numAffectedRows ?? 0);
}

/** Was it there? Whatever bears it loses it. */
export async function deleteLabelRow(tx: Transaction, id: number): Promise<boolean> {
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
