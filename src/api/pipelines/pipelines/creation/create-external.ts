import type { KeyObject } from 'node:crypto';
import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { createPipeline } from './create.ts';
import { isProtectedRef, type PipelineRequest } from './prepare.ts';

type ExternalPipelineInput = Pick<PipelineRequest, 'project' | 'user' | 'ref' | 'tag' | 'sha' | 'baseUrl'>;

/** Creates a pipeline without jobs for the external statuses of a commit. Its status is computed from them. */
export async function createExternalPipeline(
  uow: UnitOfWork,
  input: ExternalPipelineInput,
  key: KeyObject,
): Promise<PipelineRow> {
  const { project, ref, tag } = input;
  const request = {
    ...input,
    before_sha: ZERO_ID,
    source: 'external' as const,
    protected: await isProtectedRef(uow, project.id, ref, tag),
    variables: [],
  };
  const id = await createPipeline(uow, request, { status: 'created' }, { origin: null, key });
  // Without an idempotency key, a pipeline is always created.
  return (await findPipeline(uow, project.id, id!))!;
}
