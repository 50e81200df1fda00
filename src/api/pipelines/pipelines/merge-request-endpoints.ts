import { mayReadPipelines } from '../../../access/pipelines.ts';
import { pageOf } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { forbidden } from '../../../http/refusals/refusal.ts';
import { PipelineListed } from '../../code/pipeline-summaries/index.ts';
import { readingMergeRequest } from '../../planning/merge-requests/index.ts';
import { pipelinesOfMergeRequest } from './store.ts';

/** What was run of a merge request (contract/planning.md §3.8). */

export const listMergeRequestPipelines = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
  summary: 'List the pipelines of a merge request’s heads, the newest first',
  access: readingMergeRequest().and(({ caller }, { project }) => {
    if (!mayReadPipelines(caller, project)) throw forbidden();
  }, 'project:read_pipeline'),
  answer: pageOf(PipelineListed),
  read: (db, { mergeRequest, page }) => pipelinesOfMergeRequest(db, mergeRequest, page),
});
