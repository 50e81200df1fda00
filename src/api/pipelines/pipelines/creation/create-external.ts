import type { KeyObject } from 'node:crypto';
import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { zeroId } from '#git/refs/refs.ts';
import { createPipeline } from './create.ts';
import { isProtected, type Wanted } from './prepare.ts';

type Place = Pick<Wanted, 'project' | 'user' | 'ref' | 'tag' | 'sha' | 'baseUrl'>;

/** A pipeline for what others say of a commit that has none: without jobs, it is what its statuses make it. */
export async function createExternalPipeline(uow: UnitOfWork, place: Place, key: KeyObject): Promise<PipelineRow> {
  const { project, ref, tag } = place;
  const wanted = {
    ...place,
    before_sha: zeroId,
    source: 'external' as const,
    protected: await isProtected(uow, project.id, ref, tag),
    variables: [],
  };
  const id = await createPipeline(uow, wanted, { status: 'created' }, { origin: null, key });
  return (await findPipeline(uow, project.id, id!))!;
}
