import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { deleteOldPipeline } from './delete.ts';

/** Pipelines that are older than their project keeps them (contract/runners.md "Background work"). */

const OLD_BATCH_SIZE = 100;

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
        const seconds = storedAttributes({ attributes }).ci_delete_pipelines_in_seconds;
        if (seconds === null) continue;
        const before = addMilliseconds(timestamp(clock), -seconds * 1000);
        for (let old = await listPipelinesOlderThan(database.reader, id, before); old.length > 0 && !signal.aborted; ) {
          for (const pipelineId of old) await deleteOldPipeline(runUnitOfWork, pipelineId);
          old = await listPipelinesOlderThan(database.reader, id, before);
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

/** Some of those that say how long they keep pipelines, in the order of their ids. index: projects primary key */
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

/** The oldest few that were made before this moment. index: pipelines_by_project */
async function listPipelinesOlderThan(db: Reader, projectId: number, moment: string): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select(['id', 'created_at'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(OLD_BATCH_SIZE)
    .execute();
  return rows.filter(({ created_at }) => created_at < moment).map(({ id }) => id);
}
