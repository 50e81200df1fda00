import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { cancelPipeline } from '#api/pipelines/processing/index.ts';
import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { reloadAccess, requireAbility } from '#authorization/current-access.ts';
import type { Columns, Reader } from '#database/database.ts';
import { type MORE, recheckNothing, runBatchSteps, runInBatches } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { deleteCommitStatusBatch, deleteJobBatch, deletePipelineBatch } from './delete-rows.ts';

type DeletedPipeline = Columns<'pipelines', 'id' | 'project_id'>;

/** Deletes a pipeline and everything that belongs to it in batches: retried jobs first, the row of the pipeline last. */
export async function deletePipelineInBatches(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  pipeline: DeletedPipeline,
): Promise<void> {
  await runInBatches(runUnitOfWork, caller, {
    recheck: async (uow) => requireAbility(await reloadAccess(uow, caller, pipeline.project_id), 'destroy_pipeline'),
    runBatch: (uow) => deleteBatch(uow, pipeline.id),
  });
}

/** Deletes a pipeline that is older than its project allows, without a user as the actor. */
async function deleteOldPipeline(runUnitOfWork: RunUnitOfWork, pipelineId: number): Promise<void> {
  await runInBatches(runUnitOfWork, ANONYMOUS, {
    recheck: recheckNothing,
    runBatch: (uow) => deleteBatch(uow, pipelineId),
  });
}

/**
 * Deletes one batch; returns `MORE` if another batch must follow. Unfinished jobs are canceled first, so that no
 * deployment runs forever and waiting jobs get their resources. Subscribers of `pipeline-deleted` still find the row.
 * index: pipelines primary key
 */
async function deleteBatch(uow: UnitOfWork, pipelineId: number): Promise<typeof MORE | undefined> {
  const pipelineQuery = uow.selectFrom('pipelines').select(['id', 'project_id', 'status']).where('id', '=', pipelineId);
  const pipeline = await pipelineQuery.executeTakeFirst();
  if (pipeline === undefined) return undefined;
  await cancelPipeline(uow, pipeline, { force: true });
  return runBatchSteps(
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId, { retried: true }),
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId),
    () => deleteCommitStatusBatch(uow, pipelineId),
    async () => {
      await uow.publish('pipeline-deleted', { projectId: pipeline.project_id, pipelineId });
      return deletePipelineBatch(uow, 'id', pipelineId);
    },
  );
}

/** Deletion of pipelines that exceed the retention period of their project (contract/runners.md "Background work"). */

const OLD_BATCH_SIZE = 100;

/** Deletes the pipelines that are older than the retention period of their project. */
export const deleteOldPipelines = defineJob({
  kind: 'delete-old-pipelines',
  async handle(
    { database, clock, runUnitOfWork }: Pick<Services, 'clock' | 'database' | 'runUnitOfWork'>,
    _payload: Record<string, never>,
    { signal },
  ) {
    for (let afterId = 0; ; ) {
      const projects = await listProjectsWithRetention(database.reader, afterId);
      for (const { id, attributes } of projects) {
        const seconds = parseStoredAttributes({ attributes }).ci_delete_pipelines_in_seconds;
        if (seconds === null) continue;
        const createdBefore = addMilliseconds(timestamp(clock), -seconds * 1000);
        for (
          let pipelineIds = await listPipelinesOlderThan(database.reader, id, createdBefore);
          pipelineIds.length > 0 && !signal.aborted;
        ) {
          for (const pipelineId of pipelineIds) await deleteOldPipeline(runUnitOfWork, pipelineId);
          pipelineIds = await listPipelinesOlderThan(database.reader, id, createdBefore);
        }
      }
      const last = projects.at(-1);
      if (last === undefined || signal.aborted) return;
      afterId = last.id;
    }
  },
});

export const deleteOldPipelinesDaily: Schedule<Services> = {
  name: 'delete-old-pipelines',
  cron: '40 3 * * *',
  job: deleteOldPipelines,
};

/** Lists a batch of the projects that may have a retention period for pipelines, by id. index: projects primary key */
function listProjectsWithRetention(db: Reader, afterId: number) {
  return db
    .selectFrom('projects')
    .select(['id', 'attributes'])
    .where('id', '>', afterId)
    .where('attributes', 'like', '%"ci_delete_pipelines_in_seconds":%')
    .orderBy('id')
    .limit(OLD_BATCH_SIZE)
    .execute();
}

/** Lists a batch of the pipelines created before this time, oldest first. index: pipelines_by_project */
async function listPipelinesOlderThan(db: Reader, projectId: number, createdBefore: string): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select(['id', 'created_at'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(OLD_BATCH_SIZE)
    .execute();
  // Ids ascend with the creation time, so a batch without an older pipeline ends the search.
  return rows.filter(({ created_at }) => created_at < createdBefore).map(({ id }) => id);
}

/**
 * Deletes the jobs, then the pipelines of a deleted project, so that the deletion of a pipeline does not cascade to many
 * rows. index: jobs_by_project, pipelines_by_project
 */
export const deletePipelinesOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(
      () => deleteJobBatch(uow, 'project_id', projectId),
      () => deletePipelineBatch(uow, 'project_id', projectId),
    ),
});
