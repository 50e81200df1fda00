import type { Reader, Transaction } from '#database/database.ts';
import { resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { type RefProject, updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { hasFinished } from '../processing/index.ts';
import type { RunnableJob } from './store.ts';

// A running pipeline has a ref of its own for its commit. Runners fetch that ref, because the branch may move or be
// deleted while the pipeline runs (contract/repository.md §5).

const SERVER_ACTOR = { server: true, userId: null } as const;

const buildPipelineRefName = (pipelineId: number) => `refs/pipelines/${pipelineId}`;

/** Creates the ref of a pipeline. Returns false if the repository is read-only or the commit is missing. */
export async function createPipelineRef(
  services: RefServices,
  project: RefProject,
  { pipeline_id, sha }: Pick<RunnableJob, 'pipeline_id' | 'sha'>,
): Promise<boolean> {
  const ref = buildPipelineRefName(pipeline_id);
  const repository = getRepository(services.git, project);
  if ((await resolveRef(repository, ref)) !== null) return true;
  const result = await updateRepositoryRefs(services, {
    project,
    actor: SERVER_ACTOR,
    changes: [{ ref, oldId: ZERO_ID, newId: sha }],
  });
  if (isFailure(result) && result.code === 'readOnly')
    await services.database.transaction((tx) => enqueueCreation(tx, pipeline_id));
  // Another job of the pipeline may have created the ref.
  return !isFailure(result) || (await resolveRef(repository, ref)) !== null;
}

/** Delay before a retry while the repository is read-only, in milliseconds. The contract does not set it. */
const READ_ONLY_RETRY_MS = 5 * 60_000;

/** Creates the ref once the repository is writable again, as other jobs of the pipeline may need it. */
export const createPipelineRefJob = defineJob({
  kind: 'create_pipeline_ref',
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
  kind: 'delete_pipeline_ref',
  async handle(services: RefServices, { projectId, pipelineId }: { projectId: number; pipelineId: number }) {
    const project = await findRepository(services.database.reader, projectId);
    if (project === undefined || (await findUnfinishedPipeline(services.database.reader, pipelineId))) return;
    const ref = buildPipelineRefName(pipelineId);
    const currentId = await resolveRef(getRepository(services.git, project), ref);
    if (currentId === null) return;
    const result = await updateRepositoryRefs(services, {
      project,
      actor: SERVER_ACTOR,
      changes: [{ ref, oldId: currentId, newId: ZERO_ID }],
    });
    if (isFailure(result) && result.code === 'readOnly') return enqueueDeletion(services, { projectId, pipelineId });
    if (isFailure(result) && result.code !== 'moved') throw new Error(`${ref} could not be deleted: ${result.code}`);
  },
});

function enqueueDeletion({ database }: RefServices, payload: { projectId: number; pipelineId: number }): Promise<void> {
  return database.transaction((tx) =>
    enqueue(tx, deletePipelineRefJob, payload, {
      key: String(payload.pipelineId),
      runAt: addMilliseconds(tx.now, READ_ONLY_RETRY_MS),
    }),
  );
}

/** Returns the pipeline, unless it has finished or was deleted. index: pipelines primary key */
async function findUnfinishedPipeline(db: Reader, pipelineId: number) {
  const pipeline = await db
    .selectFrom('pipelines')
    .select(['status', 'project_id', 'sha'])
    .where('id', '=', pipelineId)
    .executeTakeFirst();
  return pipeline === undefined || hasFinished(pipeline.status) ? undefined : pipeline;
}

/** Returns the repository of a project, or undefined if it was deleted. index: repositories primary key */
function findRepository(db: Reader, projectId: number) {
  return db
    .selectFrom('repositories')
    .select(['project_id as id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}
