import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { deleteOldPipeline } from './delete.ts';

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
