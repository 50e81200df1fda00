import { Pipeline, PipelineDetail, PipelineListed } from '#api/code/pipeline-summaries/index.ts';
import { inProject, inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { hash, optional, required } from '#http/parameters/declarations.ts';
import { refName, ruledText, textOf } from '#http/parameters/texts.ts';
import { arrayOf, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { jobsTurn } from '../processing/index.ts';
import {
  actingOnPipeline,
  cancelingPipeline,
  destroyingPipeline,
  readingPipeline,
  readingVariables,
} from './access.ts';
import { createOfRef } from './creation/create-for-ref.ts';
import { CREATION_REFUSALS } from './creation/errors.ts';
import { destroyPipeline } from './deletion/delete.ts';
import { listParams } from './parameters.ts';
import { cancel, rename, retry } from './retry-cancel-rename.ts';
import { listPipelines as findPipelines, newestOf } from './store.ts';
import { PipelineVariable } from './variable-entity.ts';
import { readVariables } from './variables.ts';

/** Pipelines: reading them and acting on them (contract/runners.md §4.3, §4.4). */

export const listPipelines = endpoint({
  get: '/projects/:id/pipelines',
  summary: 'List the pipelines of a project',
  access: inPublicProject('read_pipeline'),
  allowJobToken: true,
  params: listParams,
  response: page(PipelineListed),
  read: (db, { project, params, page }) => findPipelines(db, project.id, params, page),
});

/** What a variable that comes with a pipeline may be. */
const sentVariable = hash({
  key: required(textOf(255)),
  value: required(textOf(50_000)),
  variable_type: optional(oneOf('env_var', 'file')),
});

export const createPipeline = endpoint({
  post: '/projects/:id/pipeline',
  summary: 'Make a pipeline of a branch or tag',
  access: inProject('create_pipeline'),
  params: { ref: required(refName), variables: optional(arrayOf(sentVariable)) },
  errors: CREATION_REFUSALS,
  response: created(Pipeline),
  handle: ({ project, caller, params, base }, services) =>
    createOfRef(services, caller, project, {
      ref: params.ref,
      source: 'api',
      variables: (params.variables ?? []).map(({ key, value, variable_type }) => ({
        key,
        value,
        variable_type: variable_type ?? 'env_var',
        raw: false,
      })),
      baseUrl: base.url,
    }),
});

export const readLatestPipeline = endpoint({
  get: '/projects/:id/pipelines/latest',
  summary: 'Read the newest pipeline of a branch or tag',
  access: inPublicProject('read_pipeline'),
  params: { ref: optional(refName) },
  errors: { none: NOT_FOUND },
  response: ok(PipelineDetail),
  read: async (db, { project, params }) =>
    (await newestOf(db, project.id, params.ref ?? project.default_branch)) ?? fail('none'),
});

export const readPipeline = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id',
  summary: 'Read a pipeline',
  access: readingPipeline(),
  allowJobToken: true,
  response: ok(PipelineDetail),
  read: (_db, { pipeline }) => pipeline,
});

export const listPipelineVariables = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/variables',
  summary: 'List the variables that a pipeline was given',
  access: readingVariables(),
  response: list(PipelineVariable),
  handle: ({ pipeline }, services) => readVariables(services, pipeline.id),
});

export const listPipelineBridges = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/bridges',
  summary: 'List the jobs of a pipeline that start other pipelines: there are none',
  access: readingPipeline(),
  response: page(PipelineListed),
  read: () => ({ items: [], total: 0, more: false }),
});

export const retryPipeline = endpoint({
  post: '/projects/:id/pipelines/:pipeline_id/retry',
  summary: 'Run again what has failed or was canceled in a pipeline',
  access: actingOnPipeline(),
  lock: ({ pipeline }) => jobsTurn(pipeline.project_id),
  errors: { gone: NOT_FOUND },
  response: created(Pipeline),
  write: (uow, { pipeline }) => retry(uow, pipeline),
});

export const cancelPipeline = endpoint({
  post: '/projects/:id/pipelines/:pipeline_id/cancel',
  summary: 'Cancel the jobs of a pipeline that have not ended',
  access: cancelingPipeline(),
  lock: ({ pipeline }) => jobsTurn(pipeline.project_id),
  errors: { gone: NOT_FOUND },
  response: ok(Pipeline),
  write: (uow, { pipeline }) => cancel(uow, pipeline),
});

export const deletePipeline = endpoint({
  delete: '/projects/:id/pipelines/:pipeline_id',
  summary: 'Delete a pipeline with its jobs',
  access: destroyingPipeline(),
  response: noContent,
  handle: ({ pipeline, caller }, { runUnitOfWork }) => destroyPipeline(runUnitOfWork, caller, pipeline),
});

export const updatePipelineMetadata = endpoint({
  put: '/projects/:id/pipelines/:pipeline_id/metadata',
  summary: 'Name a pipeline',
  access: actingOnPipeline(),
  params: { name: required(ruledText(255)) },
  errors: { gone: NOT_FOUND, invalid: INVALID },
  response: ok(PipelineDetail),
  write: (uow, { pipeline, params }) => rename(uow, pipeline, params.name),
});

export * from './merge-request-endpoints.ts';
export * from './package-endpoints.ts';
