import { Pipeline, PipelineDetail, PipelineInList } from '#api/code/pipeline-summaries/index.ts';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { readMergeRequestAccess } from '#api/planning/merge-requests/index.ts';
import { mayReadPipelines } from '#authorization/pipelines.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, list, Message, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { idCursor } from '#http/lists/pagination.ts';
import { describe, object, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, limitedText, refName } from '#http/parameters/texts.ts';
import { arrayOf, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import { fail } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt } from '#security/encryption.ts';
import { jobsLockKey, listLatestJobs, resolveNeeds } from '../processing/index.ts';
import {
  cancelPipelineAccess,
  deletePipelineAccess,
  readPipelineAccess,
  readPipelineVariablesAccess,
  updatePipelineAccess,
} from './access.ts';
import { cancelAndReloadPipeline, deletePipelineInBatches, renamePipeline, retryAndReloadPipeline } from './changes.ts';
import { createPipelineForRef, PIPELINE_CREATION_ERRORS } from './creation/create-for-ref.ts';
import { JobNeeds, PipelineVariable } from './entities.ts';
import { listParams, statusesParam } from './parameters.ts';
import {
  findNewestPipelineOfRef,
  listEncryptedVariables,
  listPipelinesOfMergeRequest,
  listPipelines as listPipelinesOfProject,
} from './store.ts';

// Endpoints to read pipelines and act on them (contract/runners.md §4.3, §4.4).

export const listPipelines = endpoint({
  get: '/projects/:id/pipelines',
  summary: 'List the pipelines of a project',
  description: 'Returns the pipelines, newest first by default.',
  access: inProjectAllowingAnonymous('read_pipeline'),
  allowJobToken: true,
  params: listParams,
  response: page(PipelineInList),
  read: (db, { project, params, page }) => listPipelinesOfProject(db, project.id, params, page),
});

/** A variable in a request that creates a pipeline. */
const variableParam = object({
  key: required(limitedText(255)),
  value: required(limitedText(50_000)),
  variable_type: optional(oneOf('env_var', 'file')),
});

export const createPipeline = endpoint({
  post: '/projects/:id/pipeline',
  summary: 'Create a pipeline for a branch or tag',
  description:
    'Evaluates the CI file at the head of the branch or tag and creates the pipeline with its jobs. The caller becomes the user of the jobs, and must be allowed to push or merge to the ref. `[skip ci]` in the commit message is ignored. If the file is invalid or no job would run, nothing is stored.',
  access: inProject('create_pipeline'),
  params: {
    ref: describe(
      required(refName),
      'Short or full name of a branch or tag; a branch precedes a tag of the same name.',
    ),
    variables: describe(
      optional(arrayOf(variableParam)),
      'Variables of all jobs; the project setting `ci_pipeline_variables_minimum_override_role` decides who may set them.',
    ),
  },
  errors: PIPELINE_CREATION_ERRORS,
  response: created(Pipeline),
  handle: ({ project, caller, params, base, request }, services) =>
    createPipelineForRef(services, caller, project, {
      ref: params.ref,
      source: 'api',
      variables: (params.variables ?? []).map(({ key, value, variable_type }) => ({
        key,
        value,
        variable_type: variable_type ?? 'env_var',
        raw: false,
      })),
      baseUrl: base.url,
      client: request,
    }),
});

export const getLatestPipeline = endpoint({
  get: '/projects/:id/pipelines/latest',
  summary: 'Get the latest pipeline of a branch or tag',
  description: 'Returns the newest pipeline of `ref`, in any status. Answers 404 if the ref has no pipeline.',
  access: inProjectAllowingAnonymous('read_pipeline'),
  params: { ref: describe(optional(refName), 'Short name of a branch or tag; absent: the default branch.') },
  errors: { noPipeline: NOT_FOUND },
  response: ok(PipelineDetail),
  read: async (db, { project, params }) =>
    (await findNewestPipelineOfRef(db, project.id, params.ref ?? project.default_branch)) ?? fail('noPipeline'),
});

export const getPipeline = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id',
  summary: 'Get a pipeline',
  description: '`yaml_errors` says why a CI file was invalid; such a pipeline has no jobs.',
  access: readPipelineAccess(),
  allowJobToken: true,
  response: ok(PipelineDetail),
  read: (_db, { pipeline }) => pipeline,
});

export const listPipelineVariables = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/variables',
  summary: 'List the variables of a pipeline',
  description:
    'Returns the variables with which the pipeline was created, with their values. Maintainers may read them, and the Developer who started the pipeline.',
  access: readPipelineVariablesAccess(),
  response: list(PipelineVariable),
  handle: ({ pipeline }, services) => loadPipelineVariables(services, pipeline.id),
});

/** Always empty, because trigger jobs are not supported. */
export const listPipelineBridges = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/bridges',
  summary: 'List the trigger jobs of a pipeline',
  description: 'The list is always empty, because trigger jobs are not supported.',
  access: readPipelineAccess(),
  params: { scope: statusesParam },
  response: page(PipelineInList),
  read: () => ({ items: [], total: 0, hasMore: false }),
});

export const listPipelineNeeds = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/needs',
  summary: 'List the needs of the jobs of a pipeline',
  description:
    'Returns each job of the pipeline, without earlier attempts, with the ids of the jobs that its keyword `needs` names. `needs` is null for a job without the keyword: it waits for all jobs of earlier stages.',
  access: readPipelineAccess(),
  response: list(JobNeeds),
  read: async (db, { pipeline }) => resolveNeeds(await listLatestJobs(db, pipeline.id)),
});

export const retryPipeline = endpoint({
  post: '/projects/:id/pipelines/:pipeline_id/retry',
  summary: 'Retry the failed jobs of a pipeline',
  description: 'Creates a new attempt of each failed or canceled job. Skipped jobs wait again.',
  access: updatePipelineAccess(),
  lock: ({ pipeline }) => jobsLockKey(pipeline.project_id),
  errors: { notFound: NOT_FOUND },
  response: created(Pipeline),
  write: (uow, { pipeline }) => retryAndReloadPipeline(uow, pipeline),
});

export const cancelPipeline = endpoint({
  post: '/projects/:id/pipelines/:pipeline_id/cancel',
  summary: 'Cancel the jobs of a pipeline',
  description:
    'Cancels all jobs that have not finished, and external commit statuses. Running jobs become `canceling` if their runner can end them gracefully. A finished pipeline is returned unchanged. The setting `ci_restrict_pipeline_cancellation_role` of the project can restrict who may cancel.',
  access: cancelPipelineAccess(),
  lock: ({ pipeline }) => jobsLockKey(pipeline.project_id),
  errors: { notFound: NOT_FOUND },
  response: ok(Pipeline),
  write: (uow, { pipeline }) => cancelAndReloadPipeline(uow, pipeline),
});

export const deletePipeline = endpoint({
  delete: '/projects/:id/pipelines/:pipeline_id',
  summary: 'Delete a pipeline',
  description:
    'Cancels unfinished jobs, then deletes the pipeline with its jobs, logs, artifacts and variables. They cannot be restored.',
  access: deletePipelineAccess(),
  response: noContent,
  handle: ({ pipeline, caller }, { runUnitOfWork }) => deletePipelineInBatches(runUnitOfWork, caller, pipeline),
});

export const updatePipelineMetadata = endpoint({
  put: '/projects/:id/pipelines/:pipeline_id/metadata',
  summary: 'Update the metadata of a pipeline',
  description: 'Changes the name of the pipeline.',
  access: updatePipelineAccess(),
  params: { name: required(domainValidatedText(255)) },
  errors: { notFound: NOT_FOUND, invalid: INVALID },
  response: ok(PipelineDetail),
  write: (uow, { pipeline, params }) => renamePipeline(uow, pipeline, params.name),
});

/** Loads and decrypts the variables of a pipeline. */
async function loadPipelineVariables(
  { database, secretKey }: Pick<Services, 'database' | 'secretKey'>,
  pipelineId: number,
) {
  const rows = await listEncryptedVariables(database.reader, pipelineId);
  const decryptionKey = await secretKey();
  return rows.map((row) => ({
    ...row,
    value: decrypt(decryptionKey, row.value, ENCRYPTED_COLUMNS.pipelineVariable.buildContext({})),
  }));
}

// Pipelines of merge requests (contract/planning.md §3.8).

export const listMergeRequestPipelines = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
  summary: 'List the pipelines of a merge request',
  description:
    'Returns the pipelines of the source branch for the head of any version of the merge request, newest first.',
  access: readMergeRequestAccess()
    .require(({ caller }, { project }) => {
      if (!mayReadPipelines(caller, project)) throw forbidden();
    })
    .withLabel('project:read_pipeline'),
  response: page(PipelineInList),
  read: (db, { mergeRequest, page }) => listPipelinesOfMergeRequest(db, mergeRequest, page),
});

/** Always responds with 404, because the server has no packages (contract/runners.md §4.10). */
export const listPackagePipelines = endpoint({
  get: '/projects/:id/packages/:package_id/pipelines',
  summary: 'List the pipelines of a package',
  description: 'Always answers 404, because the server has no package registry.',
  access: inProject('read_package')
    .require((_call, { project }) => {
      if (!parseStoredAttributes(project).packages_enabled) throw forbidden();
    })
    .withLabel('project:read_package + packages are on'),
  allowJobToken: true,
  params: {
    package_id: required(integer),
    per_page: optional(integerIn({ min: 1, max: 20 })),
    cursor: optional(idCursor),
  },
  response: { ...ok(rawEntity(Message)), status: 404 },
  read: () => ({ message: '404 Not found' }),
});
