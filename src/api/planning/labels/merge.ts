import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import { referElsewhere } from '#database/batch-statements.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { namespacesInside, projectsInside } from '#domain/namespaces/hierarchy.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { defineJob } from '#jobs/job.ts';
import { BEARERS, deleteLabelRow } from './store.ts';

/** What else there is of labels of one title below a group becomes the group's label (contract/planning.md §3.5). */

interface Target {
  readonly id: number;
  readonly title: string;
  readonly group_id: number;
}

/** Goes on where the act that promoted a label has left so much that it would hold up everybody. */
export const mergeLabels = defineJob({
  kind: 'merge_labels',
  async handle(
    { runUnitOfWork }: { readonly runUnitOfWork: RunUnitOfWork },
    { labelId }: { readonly labelId: number },
  ) {
    await inPieces(runUnitOfWork, ANONYMOUS, {
      ask: nothingToAsk,
      async piece(uow) {
        const target = await uow
          .selectFrom('labels')
          .select(['id', 'title', 'group_id'])
          .where('id', '=', labelId)
          .executeTakeFirst();
        return target?.group_id == null ? undefined : mergeSome(uow, { ...target, group_id: target.group_id });
      },
    });
  },
});

/** A piece of it: of one label after the other all that is its goes over, and then it goes itself. */
export async function mergeSome(uow: UnitOfWork, target: Target): Promise<typeof MORE | undefined> {
  let room = PIECE;
  for (;;) {
    const label = await anotherBelow(uow, target);
    if (label === null) return undefined;
    for (const move of MOVES) {
      room -= await move(uow, label, target.id, room);
      if (room <= 0) return MORE;
    }
    await deleteLabelRow(uow, label);
    if (--room <= 0) return MORE;
  }
}

/** index: labels_by_project, labels_by_group */
async function anotherBelow(db: Reader, { id, title, group_id }: Target): Promise<number | null> {
  const titled = db.selectFrom('labels').select('id').where('title', '=', title).where('id', '<>', id).limit(1);
  const ofProject = titled.where(sql<boolean>`project_id in (${projectsInside(db, group_id)})`);
  const ofGroup = titled.where(sql<boolean>`group_id in (${namespacesInside(db, group_id)})`);
  const found = (await ofProject.executeTakeFirst()) ?? (await ofGroup.executeTakeFirst());
  return found?.id ?? null;
}

/** So many of a label's at most are another one's from then on; how many they were. */
type Move = (tx: Transaction, from: number, to: number, most: number) => Promise<number>;

interface Rows {
  readonly table: string;
  /** What tells the rows of a label apart. */
  readonly key: string;
  /** What they say besides the label. */
  readonly say: readonly string[];
}

/** What the other label has already stays as it is there. */
const moving =
  ({ table, key, say }: Rows): Move =>
  async (tx, from, to, most) => {
    const [rows, told] = [sql.table(table), sql.join(say.map((column) => sql.ref(column)))];
    const some = await sql<{ key: number }>`select ${sql.ref(key)} as key from ${rows}
      where label_id = ${from} order by ${sql.ref(key)} limit ${most}`.execute(tx);
    const keys = some.rows.map((row) => row.key);
    if (keys.length === 0) return 0;
    const those = sql`label_id = ${from} and ${isAmong(tx, sql.ref<number>(key), keys)}`;
    await sql`insert into ${rows} (label_id, ${told}) select ${sql.lit(to)}, ${told} from ${rows}
      where ${those} on conflict do nothing`.execute(tx);
    await sql`delete from ${rows} where ${those}`.execute(tx);
    return keys.length;
  };

/** index: issue_labels_by_label, merge_request_labels_by_label, epic_labels_by_label, resource_label_events_by_label, label_priorities_by_label, label_subscriptions_by_label */
const MOVES: readonly Move[] = [
  ...BEARERS.map(({ table, thing }) => moving({ table, key: thing, say: [thing] })),
  moving({ table: 'label_priorities', key: 'project_id', say: ['project_id', 'priority'] }),
  moving({ table: 'label_subscriptions', key: 'id', say: ['user_id', 'project_id', 'created_at'] }),
  (tx, from, to, most) =>
    referElsewhere(tx, { table: 'resource_label_events', column: 'label_id' }, { from, to, most }),
];
