import { referElsewhere } from '#database/batch-statements.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { removeJobs, removePipelines, removePosted } from './delete-rows.ts';

/** What becomes of pipelines and their jobs, of which there may be very many, when their project goes, or who has made them. */

const HOLDERS = ['jobs', 'pipelines', 'commit_statuses'] as const;

/** Jobs go first, so that no pipeline takes many along. index: jobs_by_project, pipelines_by_project */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    pieceOf(
      () => removeJobs(uow, 'project_id', projectId),
      () => removePosted(uow, 'project_id', projectId),
      () => removePipelines(uow, projectId),
    ),
});

/** What a deleted user has run stays as nobody's. index: jobs_by_user, pipelines_by_user, commit_statuses_by_user */
export const forgetWhoRan = subscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    pieceOf(
      ...HOLDERS.map(
        (table) => () => referElsewhere(uow, { table, column: 'user_id' }, { from: userId, to: null, most: PIECE }),
      ),
    ),
});
