import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import { reassignReferences } from '#database/batch-statements.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { selectDescendantIds, selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { defineJob } from '#jobs/job.ts';
import { deleteLabelRow, LABEL_LINKS } from './store.ts';

// Merges labels of the same title below a group into the group's label (contract/planning.md §3.5).

interface MergeTarget {
  readonly id: number;
  readonly title: string;
  readonly group_id: number;
}

/** Continues a promotion that was too large for one transaction. */
export const mergeLabels = defineJob({
  kind: 'merge_labels',
  async handle(
    { runUnitOfWork }: { readonly runUnitOfWork: RunUnitOfWork },
    { labelId }: { readonly labelId: number },
  ) {
    await runInBatches(runUnitOfWork, ANONYMOUS, {
      recheck: recheckNothing,
      async runBatch(uow) {
        const target = await uow
          .selectFrom('labels')
          .select(['id', 'title', 'group_id'])
          .where('id', '=', labelId)
          .executeTakeFirst();
        return target?.group_id == null ? undefined : mergeLabelBatch(uow, { ...target, group_id: target.group_id });
      },
    });
  },
});

/**
 * Moves all references of each duplicate label to the target, then deletes the duplicate. Changes at most `BATCH_SIZE` rows and
 * returns `MORE` if others are left.
 */
export async function mergeLabelBatch(uow: UnitOfWork, target: MergeTarget): Promise<typeof MORE | undefined> {
  let remainingRows = BATCH_SIZE;
  for (;;) {
    const duplicateId = await findDuplicateLabel(uow, target);
    if (duplicateId === null) return undefined;
    for (const moveReferences of MOVE_STEPS) {
      remainingRows -= await moveReferences(uow, duplicateId, target.id, remainingRows);
      if (remainingRows <= 0) return MORE;
    }
    await deleteLabelRow(uow, duplicateId);
    if (--remainingRows <= 0) return MORE;
  }
}

/** Returns the id of another label with the title in the group, its descendants or their projects, or null. index: labels_by_project, labels_by_group */
async function findDuplicateLabel(db: Reader, { id, title, group_id }: MergeTarget): Promise<number | null> {
  const sameTitleLabels = db
    .selectFrom('labels')
    .select('id')
    .where('title', '=', title)
    .where('id', '<>', id)
    .limit(1);
  const projectLabels = sameTitleLabels.where(
    sql<boolean>`project_id in (${selectDescendantProjectIds(db, group_id)})`,
  );
  const groupLabels = sameTitleLabels.where(sql<boolean>`group_id in (${selectDescendantIds(db, group_id)})`);
  const duplicate = (await projectLabels.executeTakeFirst()) ?? (await groupLabels.executeTakeFirst());
  return duplicate?.id ?? null;
}

/** Moves at most `limit` references from one label to another and returns their number. */
type MoveStep = (tx: Transaction, fromId: number, toId: number, limit: number) => Promise<number>;

interface MovedTable {
  readonly table: string;
  /** The column that identifies a row among the rows of one label. */
  readonly key: string;
  /** The other columns to copy. */
  readonly columns: readonly string[];
}

/** Returns a step that moves rows of this table. On conflict the row of the target label stays. */
const moveRows =
  ({ table, key, columns }: MovedTable): MoveStep =>
  async (tx, fromId, toId, limit) => {
    const [tableRef, columnList] = [sql.table(table), sql.join(columns.map((column) => sql.ref(column)))];
    const batch = await sql<{ key: number }>`select ${sql.ref(key)} as key from ${tableRef}
      where label_id = ${fromId} order by ${sql.ref(key)} limit ${limit}`.execute(tx);
    const keys = batch.rows.map((row) => row.key);
    if (keys.length === 0) return 0;
    const condition = sql`label_id = ${fromId} and ${isInIds(tx, sql.ref<number>(key), keys)}`;
    await sql`insert into ${tableRef} (label_id, ${columnList}) select ${sql.lit(toId)}, ${columnList} from ${tableRef}
      where ${condition} on conflict do nothing`.execute(tx);
    await sql`delete from ${tableRef} where ${condition}`.execute(tx);
    return keys.length;
  };

/** index: issue_labels_by_label, merge_request_labels_by_label, epic_labels_by_label, resource_label_events_by_label, label_priorities_by_label, label_subscriptions_by_label */
const MOVE_STEPS: readonly MoveStep[] = [
  ...LABEL_LINKS.map(({ table, idColumn }) => moveRows({ table, key: idColumn, columns: [idColumn] })),
  moveRows({ table: 'label_priorities', key: 'project_id', columns: ['project_id', 'priority'] }),
  moveRows({ table: 'label_subscriptions', key: 'id', columns: ['user_id', 'project_id', 'created_at'] }),
  (tx, fromId, toId, limit) =>
    reassignReferences(tx, { table: 'resource_label_events', column: 'label_id' }, { from: fromId, to: toId, limit }),
];
