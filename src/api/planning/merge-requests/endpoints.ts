import { inProject } from '../../../http/access/project-access.ts';
import { created, shown } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { exclusive } from '../../../http/parameters/declarations.ts';
import { INVALID } from '../../../http/refusals/texts.ts';
import { readingMergeRequest } from './access.ts';
import { createMergeRequest as create } from './create.ts';
import { MergeRequest } from './entities.ts';
import { newMergeRequestParams } from './parameters.ts';

export const readMergeRequest = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid',
  summary: 'Read a merge request',
  access: readingMergeRequest(),
  answer: shown(MergeRequest),
  read: (_db, { mergeRequest }) => mergeRequest,
});

/** An open one that brings the same branch to the same other one. */
const EXISTS = [
  409,
  { message: ['Another open merge request already exists for this source branch: !{iid}'] },
] as const;

export const createMergeRequest = endpoint({
  post: '/projects/:id/merge_requests',
  summary: 'Open a merge request',
  access: inProject('create_merge_request'),
  params: newMergeRequestParams,
  rules: [exclusive('assignee_ids', 'assignee_id')],
  refuses: {
    notAFork: [422, { message: ['Source project is not a fork of the target project'] }],
    sameBranches: [422, { message: ["You can't use same project/branch for source and target"] }],
    exists: EXISTS,
    invalid: INVALID,
  },
  records: ['created MergeRequest', 'milestone add', 'note mention'],
  answer: created(MergeRequest),
  handle: ({ project, caller, params }, rooms) => create(rooms, caller, project, params),
});

export * from './diff-endpoints.ts';
export * from './merge-endpoints.ts';
