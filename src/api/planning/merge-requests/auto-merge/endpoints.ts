import { Type } from 'typebox';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created } from '#http/endpoint/responses.ts';
import { mergeOrAuthorAccess } from '../code-access.ts';
import { cancelAutoMerge } from './changes.ts';

const AutoMergeCanceled = entity('AutoMergeCanceled', { status: Type.Literal('success') });

export const cancelMergeWhenPipelineSucceeds = endpoint({
  post: '/projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds',
  summary: 'Cancel auto-merge of a merge request',
  access: mergeOrAuthorAccess(),
  errors: { autoMergeNotEnabled: [406, "Can't cancel the automatic merge"] },
  activity: ['note auto_merge'],
  response: created(AutoMergeCanceled),
  write: (uow, { mergeRequest }) => cancelAutoMerge(uow, mergeRequest),
});
