import type { Reader, Transaction } from '#database/database.ts';
import { resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { moveRefs, type RefProject } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { hasFinished } from '../processing/index.ts';
import type { RunnableJob } from './store.ts';

/**
 * While a pipeline runs, its commit has its own ref, which runners fetch, because the branch may move or be deleted in the
 * meantime (contract/repository.md §5).
 */

const SERVER_ACTOR = { server: true, userId: null } as const;

const pipelineRefName = (pipelineId: number) => `refs/pipelines/${pipelineId}`;

/** Creates the ref of a pipeline. Returns false if the repository is read-only or the commit is missing. */
export async function createPipelineRef(
  services: RefServices,
  project: RefProject,
  { pipeline_id, sha }: Pick<RunnableJob, 'pipeline_id' | 'sha'>,
): Promise<boolean> {
  const ref = pipelineRefName(pipeline_id);
  const repository = getRepository(services.git, project);
  if ((await resolveRef(repository, ref)) !== null) return true;
  const moved = await moveRefs(services, { project, by: SERVER_ACTOR, changes: [{ ref, oldId: ZERO_ID, newId: sha }] });
  if (isFailure(moved) && moved.code === 'readOnly')
    await services.database.transaction((tx) => enqueueCreation(tx, pipeline_id));
  // Another job of the pipeline may have created it.
  return !isFailure(moved) || (await resolveRef(repository, ref)) !== null;
}

/** Delay before a retry on a read-only repository (chosen value). */
const READ_ONLY_RETRY_MS = 5 * 60_000;

/** Creates the ref once the repository is writable again, as other jobs of the pipeline may need it. */
export const createPipelineRefJob = defineJob({
  kind: 'keep_pipeline_ref',
  async handle(services: RefServices, { pipelineId }: { readonly pipelineId: number }) {
    const pipeline = await findUnfinishedPipeline(services.database.reader, pipelineId);
    const project = pipeline && (await findRepository(services.database.reader, pipeline.project_id));
    if (pipeline && project) await createPipelineRef(services, project, { pipeline_id: pipelineId, sha: pipeline.sha });
  },
});

function enqueueCreation(tx: Transaction, pipelineId: number): Promise<void> {
  const runAt = addMilliseconds(tx.now, READ_ONLY_RETRY_MS);
  return enqueue(tx, createPipelineRefJob, { pipelineId }, { key: String(pipelineId), runAt });
}

/** Deletes the ref when the pipeline has finished; retried jobs create it again. */
export const deletePipelineRefJob = defineJob({
  kind: 'drop_pipeline_ref',
  async handle(services: RefServices, { projectId, pipelineId }: { projectId: number; pipelineId: number }) {
    const project = await findRepository(services.database.reader, projectId);
    if (project === undefined || (await findUnfinishedPipeline(services.database.reader, pipelineId))) return;
    const ref = pipelineRefName(pipelineId);
    const now = await resolveRef(getRepository(services.git, project), ref);
    if (now === null) return;
    const moved = await moveRefs(services, {
      project,
      by: SERVER_ACTOR,
      changes: [{ ref, oldId: now, newId: ZERO_ID }],
    });
    if (isFailure(moved) && moved.code === 'readOnly') return enqueueDeletion(services, { projectId, pipelineId });
    if (isFailure(moved) && moved.code !== 'moved') throw new Error(`${ref} could not be removed: ${moved.code}`);
  },
});

function enqueueDeletion({ database }: RefServices, which: { projectId: number; pipelineId: number }): Promise<void> {
  return database.transaction((tx) =>
    enqueue(tx, deletePipelineRefJob, which, {
      key: String(which.pipelineId),
      runAt: addMilliseconds(tx.now, READ_ONLY_RETRY_MS),
    }),
  );
}

/** Returns the pipeline, unless it has finished or was deleted. index: pipelines primary key */
async function findUnfinishedPipeline(db: Reader, pipelineId: number) {
  const found = await db
    .selectFrom('pipelines')
    .select(['status', 'project_id', 'sha'])
    .where('id', '=', pipelineId)
    .executeTakeFirst();
  return found === undefined || hasFinished(found.status) ? undefined : found;
}

/** index: repositories primary key */
function findRepository(db: Reader, projectId: number) {
  return db
    .selectFrom('repositories')
    .select(['project_id as id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}
