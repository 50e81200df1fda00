import { type SqlBool, sql } from 'kysely';
import { deleteLargeRowBatch, reassignReferences } from '#database/batch-statements.ts';
import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { reassignToGhost } from '#events/reassign-to-ghost.ts';

/** Alerts go with their project, and first what was said on them: of both there may be very many. index: alerts_by_project */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    nextBatch(
      () => deleteSomeNotes(uow, projectId),
      () =>
        deleteLargeRowBatch(
          uow,
          { table: 'alerts', text: 'payload' },
          sql<SqlBool>`project_id = ${projectId}`,
          BATCH_SIZE,
        ),
    ),
});

/** index: alerts_by_project, alert_notes_by_alert */
async function deleteSomeNotes(tx: Transaction, projectId: number): Promise<number> {
  const some = tx
    .selectFrom('alert_notes')
    .innerJoin('alerts', 'alerts.id', 'alert_notes.alert_id')
    .select('alert_notes.id')
    .where('alerts.project_id', '=', projectId)
    .limit(BATCH_SIZE);
  const gone = await tx.deleteFrom('alert_notes').where('id', 'in', some).executeTakeFirst();
  return Number(gone.numDeletedRows);
}

const AUTHORS = { table: 'alert_notes', column: 'author_id' };
const ASSIGNEES = { table: 'alerts', column: 'assignee_id' };

/** What a deleted user has said stays as the ghost's, with `hard` it goes; he looks after no alert any more. index: alert_notes_by_author, alerts_by_assignee */
export const leaveAlerts = subscription({
  event: 'user-deleted',
  inBatches: (uow, deleted) =>
    nextBatch(
      () => reassignToGhost(uow, AUTHORS, deleted),
      () => reassignReferences(uow, ASSIGNEES, { from: deleted.userId, to: null, limit: BATCH_SIZE }),
    ),
});
