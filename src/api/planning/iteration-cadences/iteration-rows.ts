import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { nextIid, reserveIid } from '#domain/iids.ts';
import type { Period, Standing } from './periods.ts';
import type { CadenceRow } from './store.ts';

/** The iterations of a cadence, as its rhythm looks at them. Who writes some of a group's comes in turn (`iterationsTurn`). */

/** Those who make iterations of one group, or change their days, do so one after another. */
export const iterationsTurn = ({ id }: { readonly id: number }): string => `iterations of group ${id}`;

export interface PlacedIteration extends Period {
  readonly id: number;
}

/** index: iterations_by_cadence */
export async function standingOf(db: Reader, cadenceId: number): Promise<Standing<PlacedIteration>> {
  const iterations = db
    .selectFrom('iterations')
    .select(['id', 'start_date', 'due_date'])
    .where('cadence_id', '=', cadenceId);
  const begun = await iterations
    .where('start_date', '<=', db.today)
    .orderBy('start_date', 'desc')
    .limit(1)
    .executeTakeFirst();
  const upcoming = await iterations.where('start_date', '>', db.today).orderBy('start_date').execute();
  return { today: db.today, begun: begun ?? null, upcoming };
}

/** The one that today is a day of. index: iterations_by_cadence */
export async function currentIteration(db: Reader, cadenceId: number): Promise<number | null> {
  const current = await db
    .selectFrom('iterations')
    .select('id')
    .where('cadence_id', '=', cadenceId)
    .where('start_date', '<=', db.today)
    .where('due_date', '>=', db.today)
    .limit(1)
    .executeTakeFirst();
  return current?.id ?? null;
}

/** Those that were due from this day on, and are over. index: iterations_by_cadence */
export async function closedSince(db: Reader, cadenceId: number, day: string): Promise<number[]> {
  const closed = await db
    .selectFrom('iterations')
    .select('id')
    .where('cadence_id', '=', cadenceId)
    .where('due_date', '>=', day)
    .where('due_date', '<', db.today)
    .orderBy('start_date')
    .execute();
  return closed.map(({ id }) => id);
}

/** Those of an iteration that people write. */
export interface IterationTexts {
  readonly title: string | null;
  readonly description: string | null;
}

export const NO_TEXTS: IterationTexts = { title: null, description: null };

/** What an iteration was like on another server. */
export interface IterationPast {
  readonly iid: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Adds an iteration with the group's next number, or with what it has from elsewhere; says its id. */
export async function insertIteration(
  tx: Transaction,
  { id: cadence_id, group_id }: Pick<CadenceRow, 'id' | 'group_id'>,
  { start_date, due_date }: Period,
  { title, description }: IterationTexts,
  past?: IterationPast,
): Promise<number> {
  if (past !== undefined) await reserveIid(tx, { groupId: group_id }, 'iteration', past.iid);
  const iid = past?.iid ?? (await nextIid(tx, { groupId: group_id }, 'iteration'));
  const texts = { title, title_key: title === null ? null : foldCase(title), description };
  const times = { created_at: past?.created_at ?? tx.now, updated_at: past?.updated_at ?? tx.now };
  const { id } = await tx
    .insertInto('iterations')
    .values({ group_id, cadence_id, iid, ...texts, start_date, due_date, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** index: iterations primary key */
export async function moveIteration(tx: Transaction, id: number, { start_date, due_date }: Period): Promise<void> {
  await tx.updateTable('iterations').set({ start_date, due_date, updated_at: tx.now }).where('id', '=', id).execute();
}

/** Those that have not begun, whose titles people have chosen: none are chosen where they are made by themselves. index: iterations_by_cadence */
export async function loseTitles(tx: Transaction, cadenceId: number): Promise<void> {
  await tx
    .updateTable('iterations')
    .set({ title: null, title_key: null, updated_at: tx.now })
    .where('cadence_id', '=', cadenceId)
    .where('start_date', '>', tx.today)
    .where('title', 'is not', null)
    .execute();
}
