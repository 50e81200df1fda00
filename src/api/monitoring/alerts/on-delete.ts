import { type SqlBool, sql } from 'kysely';
import { deleteLargeRowBatch, reassignReferences } from '#database/batch-statements.ts';
import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { reassignToGhost } from '#events/reassign-to-ghost.ts';

/** Deletes the notes and then the alerts of a deleted project, in batches. index: alerts_by_project */
export const deleteAlertsOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(
      () => deleteNoteBatch(uow, projectId),
      () =>
        deleteLargeRowBatch(
          uow,
          { table: 'alerts', text: 'payload' },
          sql<SqlBool>`project_id = ${projectId}`,
          BATCH_SIZE,
        ),
    ),
});

/** Deletes a batch of notes and returns the number of deleted notes. index: alerts_by_project, alert_notes_by_alert */
async function deleteNoteBatch(tx: Transaction, projectId: number): Promise<number> {
  const batch = tx
    .selectFrom('alert_notes')
    .innerJoin('alerts', 'alerts.id', 'alert_notes.alert_id')
    .select('alert_notes.id')
    .where('alerts.project_id', '=', projectId)
    .limit(BATCH_SIZE);
  const result = await tx.deleteFrom('alert_notes').where('id', 'in', batch).executeTakeFirst();
  return Number(result.numDeletedRows);
}

const NOTE_AUTHOR_COLUMN = { table: 'alert_notes', column: 'author_id' };
const ASSIGNEE_COLUMN = { table: 'alerts', column: 'assignee_id' };

/** Reassigns a deleted user's notes to the ghost user (deletes them on hard delete) and unassigns their alerts. index: alert_notes_by_author, alerts_by_assignee */
export const onUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, deletion) =>
    runBatchSteps(
      () => reassignToGhost(uow, NOTE_AUTHOR_COLUMN, deletion),
      () => reassignReferences(uow, ASSIGNEE_COLUMN, { from: deletion.userId, to: null, limit: BATCH_SIZE }),
    ),
});
