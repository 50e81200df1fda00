import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findPipeline, mayRunPipelineOn, type PipelineRow } from '#authorization/pipelines.ts';
import type { Tier } from '#config.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

// Access to pipelines (contract/runners.md §4).

interface ProjectContext {
  readonly project: Project;
}

/** The pipeline in the path. */
export const pipelineResource = {
  name: 'pipeline',
  params: { pipeline_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly pipeline_id: number }>, { project }: ProjectContext) =>
    findPipeline(db, project.id, params.pipeline_id),
  notFound: genericNotFound,
} as const;

type Params = typeof pipelineResource.params;
type AnonymousPipelineAccess = Access<
  { project: Project; caller: Caller } & { readonly pipeline: PipelineRow },
  Params
>;
type PipelineAccess = Access<{ project: Project; caller: SignedInCaller } & { readonly pipeline: PipelineRow }, Params>;

/** Access for callers who may read pipelines, anonymous ones included. */
export function readPipelineAccess(): AnonymousPipelineAccess {
  return inProjectAllowingAnonymous('read_pipeline').resource(pipelineResource);
}

/** Like `readPipelineAccess`, for signed-in callers only. */
const signedInPipelineAccess = (): PipelineAccess => inProject('read_pipeline').resource(pipelineResource);

/** Requires a Developer who may push or merge to the ref of the pipeline. */
export function updatePipelineAccess(): PipelineAccess {
  return signedInPipelineAccess()
    .require(async ({ db, caller }, { project, pipeline }) => {
      if (!(await mayRunPipelineOn(db, caller, project, pipeline))) throw forbidden();
    })
    .withLabel('project:update_pipeline + push or merge to its ref');
}

/** Like `updatePipelineAccess`, but the project must also let the caller cancel pipelines. */
export function cancelPipelineAccess(): PipelineAccess {
  return updatePipelineAccess()
    .require(({ caller, services }, { project }) => {
      if (!mayCancelJobs(services.config.tier, caller, project)) throw forbidden();
    })
    .withLabel('project:update_pipeline + push or merge to its ref + cancel');
}

/**
 * Returns whether `ci_restrict_pipeline_cancellation_role` lets the caller cancel pipelines and jobs
 * (contract/runners.md §4.4). The free tier ignores the setting, because a project that was on another tier could not reset it.
 */
export function mayCancelJobs(tier: Tier, caller: Caller, project: Project): boolean {
  if (tier === 'free') return true;
  const role = parseStoredAttributes(project).ci_restrict_pipeline_cancellation_role;
  return role !== 'no_one' && (role !== 'maintainer' || getProjectRole(caller, project) >= MAINTAINER);
}

/** Requires a Maintainer, or the Developer who started the pipeline. */
export function readPipelineVariablesAccess(): PipelineAccess {
  return signedInPipelineAccess()
    .require(({ caller }, { project, pipeline }) => {
      const isOwnPipeline = pipeline.user_id === caller.user?.id && getProjectRole(caller, project) >= DEVELOPER;
      if (!isOwnPipeline && getProjectRole(caller, project) < MAINTAINER) throw forbidden();
    })
    .withLabel('project:admin_pipeline or its own Developer');
}

/** Requires the ability to delete pipelines. */
export function deletePipelineAccess(): PipelineAccess {
  return signedInPipelineAccess()
    .require(({ caller }, { project }) => {
      if (!mayInProject(caller, 'destroy_pipeline', project)) throw forbidden();
    })
    .withLabel('project:destroy_pipeline');
}
