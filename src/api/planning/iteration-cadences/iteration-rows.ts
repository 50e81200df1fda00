import type { SelectQueryBuilder } from 'kysely';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { allocateIid, reserveIid } from '#domain/iids.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import type { IterationTimeline, Period } from './periods.ts';
import type { CadenceRow } from './store.ts';

// Iteration rows as the scheduler uses them. Writers must hold the advisory lock of the group (`iterationsLockKey`).

/** Returns the lock key for creating iterations of a group or changing their dates. */
export const iterationsLockKey = ({ id }: { readonly id: number }): string => `iterations of group ${id}`;

/** An iteration with its dates. */
export interface ScheduledIteration extends Period {
  readonly id: number;
}

/** Loads the last started iteration of a cadence and all upcoming ones. index: iterations_by_cadence */
export async function loadIterationTimeline(
  db: Reader,
  cadenceId: number,
): Promise<IterationTimeline<ScheduledIteration>> {
  const iterations = db
    .selectFrom('iterations')
    .select(['id', 'start_date', 'due_date'])
    .where('cadence_id', '=', cadenceId);
  const latestStarted = await iterations
    .where('start_date', '<=', db.today)
    .orderBy('start_date', 'desc')
    .limit(1)
    .executeTakeFirst();
  const upcoming = await iterations.where('start_date', '>', db.today).orderBy('start_date').execute();
  return { today: db.today, latestStarted: latestStarted ?? null, upcoming };
}

/** Returns the id of the iteration that includes today, or null. index: iterations_by_cadence */
export async function findCurrentIteration(db: Reader, cadenceId: number): Promise<number | null> {
  const currentIteration = await db
    .selectFrom('iterations')
    .select('id')
    .where('cadence_id', '=', cadenceId)
    .where('start_date', '<=', db.today)
    .where('due_date', '>=', db.today)
    .limit(1)
    .executeTakeFirst();
  return currentIteration?.id ?? null;
}

/** Returns the ids of closed iterations that were due on this day or later, by start date. index: iterations_by_cadence */
export async function listIterationsClosedSince(db: Reader, cadenceId: number, day: string): Promise<number[]> {
  const closedIterations = await db
    .selectFrom('iterations')
    .select('id')
    .where('cadence_id', '=', cadenceId)
    .where('due_date', '>=', day)
    .where('due_date', '<', db.today)
    .orderBy('start_date')
    .execute();
  return closedIterations.map(({ id }) => id);
}

/** The texts of an iteration that users write. */
type IterationTexts = Columns<'iterations', 'title' | 'description'>;

/** Texts of iterations that the scheduler creates. */
export const NO_TEXTS: IterationTexts = { title: null, description: null };

/** The iid and timestamps of an imported iteration. */
export type ImportedIterationState = Columns<'iterations', 'iid' | 'created_at' | 'updated_at'>;

/** The content of a new iteration. `importedState` is set if another server has exported it. */
interface NewIteration {
  readonly period: Period;
  readonly texts: IterationTexts;
  readonly importedState?: ImportedIterationState;
}

/** Inserts an iteration with the group's next iid, or with the imported iid and timestamps. Returns its id. */
export async function insertIteration(
  tx: Transaction,
  { id: cadence_id, group_id }: Pick<CadenceRow, 'id' | 'group_id'>,
  { period: { start_date, due_date }, texts: { title, description }, importedState }: NewIteration,
): Promise<number> {
  if (importedState !== undefined) await reserveIid(tx, { groupId: group_id }, 'iteration', importedState.iid);
  const iid = importedState?.iid ?? (await allocateIid(tx, { groupId: group_id }, 'iteration'));
  const textColumns = { title, title_key: title === null ? null : foldCase(title), description };
  const timestamps = {
    created_at: importedState?.created_at ?? tx.now,
    updated_at: importedState?.updated_at ?? tx.now,
  };
  const { id } = await tx
    .insertInto('iterations')
    .values({ group_id, cadence_id, iid, ...textColumns, start_date, due_date, ...timestamps })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Updates the dates of an iteration. index: iterations primary key */
export async function updateIterationDates(
  tx: Transaction,
  id: number,
  { start_date, due_date }: Period,
): Promise<void> {
  await tx.updateTable('iterations').set({ start_date, due_date, updated_at: tx.now }).where('id', '=', id).execute();
}

/**
 * Clears the titles of upcoming iterations of a cadence that becomes automatic: such a cadence's iterations have none.
 * index: iterations_by_cadence
 */
export async function clearUpcomingTitles(tx: Transaction, cadenceId: number): Promise<void> {
  await tx
    .updateTable('iterations')
    .set({ title: null, title_key: null, updated_at: tx.now })
    .where('cadence_id', '=', cadenceId)
    .where('start_date', '>', tx.today)
    .where('title', 'is not', null)
    .execute();
}

type IssueIdQuery = SelectQueryBuilder<Schema, 'issues', { id: number }>;

/**
 * Sets or clears (null) the iteration of one batch of the selected issues. Returns the size of the batch.
 * index: issues_by_iteration, issues_by_project_iteration
 */
export async function assignIterationBatch(
  tx: Transaction,
  iterationId: number | null,
  selectIssues: (issues: IssueIdQuery) => IssueIdQuery,
): Promise<number> {
  const batch = selectIssues(tx.selectFrom('issues').select('issues.id')).limit(BATCH_SIZE);
  const { numUpdatedRows } = await tx
    .updateTable('issues')
    .set({ iteration_id: iterationId })
    .where('id', 'in', batch)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
