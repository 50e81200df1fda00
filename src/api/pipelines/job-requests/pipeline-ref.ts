import type { Reader, Transaction } from '#database/database.ts';
import { resolveRef, zeroId } from '#git/refs/refs.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { type MovingProject, moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { momentAfter } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { hasFinished } from '../processing/index.ts';
import type { Work } from './store.ts';

/**
 * While a pipeline runs its commit has a ref of its own, which runners fetch: the branch may go, or go on, meanwhile
 * (contract/repository.md §5).
 */

const BY_SERVER = { server: true, userId: null } as const;

const refOf = (pipelineId: number) => `refs/pipelines/${pipelineId}`;

/** Sees to it that there is one. False: there can't be, for the repository is read-only, or the commit not there. */
export async function keepPipelineRef(
  services: RefServices,
  project: MovingProject,
  { pipeline_id, sha }: Pick<Work, 'pipeline_id' | 'sha'>,
): Promise<boolean> {
  const ref = refOf(pipeline_id);
  const repository = repositoryOf(services.git, project);
  if ((await resolveRef(repository, ref)) !== null) return true;
  const moved = await moveRefs(services, { project, by: BY_SERVER, changes: [{ ref, oldId: zeroId, newId: sha }] });
  if (isFailure(moved) && moved.code === 'readOnly')
    await services.database.transaction((tx) => keepLater(tx, pipeline_id));
  // Another job of the pipeline may have been faster.
  return !isFailure(moved) || (await resolveRef(repository, ref)) !== null;
}

/** Chosen: so long a read-only repository rests before somebody asks again whether it still is. */
const READ_ONLY_REST_MS = 5 * 60_000;

/** The same when the repository is no longer read-only: other jobs of the pipeline may need it. */
export const keepRefLater = defineJob({
  kind: 'keep_pipeline_ref',
  async handle(services: RefServices, { pipelineId }: { readonly pipelineId: number }) {
    const pipeline = await underWay(services.database.reader, pipelineId);
    const project = pipeline && (await placeOf(services.database.reader, pipeline.project_id));
    if (pipeline && project) await keepPipelineRef(services, project, { pipeline_id: pipelineId, sha: pipeline.sha });
  },
});

function keepLater(tx: Transaction, pipelineId: number): Promise<void> {
  const runAt = momentAfter(tx.now, READ_ONLY_REST_MS);
  return enqueue(tx, keepRefLater, { pipelineId }, { key: String(pipelineId), runAt });
}

/** Removes it when the pipeline has ended; it comes back when a job of it is run again. */
export const dropPipelineRef = defineJob({
  kind: 'drop_pipeline_ref',
  async handle(services: RefServices, { projectId, pipelineId }: { projectId: number; pipelineId: number }) {
    const project = await placeOf(services.database.reader, projectId);
    if (project === undefined || (await underWay(services.database.reader, pipelineId))) return;
    const ref = refOf(pipelineId);
    const now = await resolveRef(repositoryOf(services.git, project), ref);
    if (now === null) return;
    const moved = await moveRefs(services, { project, by: BY_SERVER, changes: [{ ref, oldId: now, newId: zeroId }] });
    if (isFailure(moved) && moved.code === 'readOnly') return dropLater(services, { projectId, pipelineId });
    if (isFailure(moved) && moved.code !== 'moved') throw new Error(`${ref} could not be removed: ${moved.code}`);
  },
});

function dropLater({ database }: RefServices, which: { projectId: number; pipelineId: number }): Promise<void> {
  return database.transaction((tx) =>
    enqueue(tx, dropPipelineRef, which, {
      key: String(which.pipelineId),
      runAt: momentAfter(tx.now, READ_ONLY_REST_MS),
    }),
  );
}

/** The pipeline, unless it has ended or is gone. index: pipelines primary key */
async function underWay(db: Reader, pipelineId: number) {
  const found = await db
    .selectFrom('pipelines')
    .select(['status', 'project_id', 'sha'])
    .where('id', '=', pipelineId)
    .executeTakeFirst();
  return found === undefined || hasFinished(found.status) ? undefined : found;
}

/** index: repositories primary key */
function placeOf(db: Reader, projectId: number) {
  return db
    .selectFrom('repositories')
    .select(['project_id as id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}
