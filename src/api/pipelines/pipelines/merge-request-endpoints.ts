import { PipelineInList } from '#api/code/pipeline-summaries/index.ts';
import { readableMergeRequestAccess } from '#api/planning/merge-requests/index.ts';
import { mayReadPipelines } from '#authorization/pipelines.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { listPipelinesOfMergeRequest } from './store.ts';

/** Pipelines of merge requests (contract/planning.md §3.8). */

export const listMergeRequestPipelines = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
  summary: 'List the pipelines of a merge request',
  access: readableMergeRequestAccess()
    .require(({ caller }, { project }) => {
      if (!mayReadPipelines(caller, project)) throw forbidden();
    })
    .withLabel('project:read_pipeline'),
  response: page(PipelineInList),
  read: (db, { mergeRequest, page }) => listPipelinesOfMergeRequest(db, mergeRequest, page),
});
