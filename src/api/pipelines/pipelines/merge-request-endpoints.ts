import { PipelineListed } from '#api/code/pipeline-summaries/index.ts';
import { readingMergeRequest } from '#api/planning/merge-requests/index.ts';
import { mayReadPipelines } from '#authorization/pipelines.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { pipelinesOfMergeRequest } from './store.ts';

/** What was run of a merge request (contract/planning.md §3.8). */

export const listMergeRequestPipelines = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
  summary: 'List the pipelines of a merge request’s heads, the newest first',
  access: readingMergeRequest().require(({ caller }, { project }) => {
    if (!mayReadPipelines(caller, project)) throw forbidden();
  }, 'project:read_pipeline'),
  response: page(PipelineListed),
  read: (db, { mergeRequest, page }) => pipelinesOfMergeRequest(db, mergeRequest, page),
});
