import { deleteKeyedBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

/** A session of each user of a program is remembered. index: session_states primary key, session_buckets primary key */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    nextBatch(
      () =>
        deleteKeyedBatch(uow, { table: 'session_states', column: 'project_id', key: ['sid'] }, [projectId], BATCH_SIZE),
      () =>
        deleteKeyedBatch(
          uow,
          { table: 'session_buckets', column: 'project_id', key: ['release', 'environment'] },
          [projectId],
          BATCH_SIZE,
        ),
    ),
});
