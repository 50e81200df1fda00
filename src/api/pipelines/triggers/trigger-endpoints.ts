import { Pipeline } from '#api/code/pipeline-summaries/index.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { PIPELINE_CREATION_ERRORS } from '../pipelines/index.ts';
import { triggerPipelineByToken } from './trigger.ts';
import { triggerTokenAccess } from './trigger-access.ts';
import { buildTriggerPayload } from './trigger-parameters.ts';

/** Starts pipelines by a token (contract/runners.md §4.6). API credentials in the request are ignored. */

type TriggerPath = '/projects/:id/trigger/pipeline' | '/projects/:id/ref/:ref/trigger/pipeline';

const triggerEndpoint = (post: TriggerPath, summary: string) =>
  endpoint({
    post,
    summary,
    access: triggerTokenAccess(),
    stageOrder: 'clientToken',
    errors: {
      ...PIPELINE_CREATION_ERRORS,
      invalidCiFile: [422, { message: { base: ['{text}'] } }],
      tooLarge: [413, '413 Request Entity Too Large'],
    },
    response: created(Pipeline),
    handle: ({ caller, project, trigger, params, rawParams, base, request }, services) =>
      triggerPipelineByToken(services, caller, {
        project,
        trigger,
        ref: params.ref,
        variables: params.variables ?? [],
        payload: buildTriggerPayload(rawParams, { id: params.id, ref: params.ref }),
        baseUrl: base.url,
        client: request,
      }),
  });

export const triggerPipeline = triggerEndpoint('/projects/:id/trigger/pipeline', 'Trigger a pipeline with a token');

export const triggerPipelineOfRef = triggerEndpoint(
  '/projects/:id/ref/:ref/trigger/pipeline',
  'Trigger a pipeline for the ref in the path',
);
