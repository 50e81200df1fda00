import { Pipeline } from '#api/code/pipeline-summaries/index.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { CREATION_REFUSALS } from '../pipelines/index.ts';
import { startByToken } from './trigger.ts';
import { byTriggerToken } from './trigger-access.ts';
import { payloadOf } from './trigger-parameters.ts';

/** What a token starts (contract/runners.md §4.6). A credential of the API that comes along is not looked at. */

type Path = '/projects/:id/trigger/pipeline' | '/projects/:id/ref/:ref/trigger/pipeline';

const starting = (post: Path, summary: string) =>
  endpoint({
    post,
    summary,
    access: byTriggerToken(),
    stageOrder: 'ownProof',
    errors: {
      ...CREATION_REFUSALS,
      broken: [422, { message: { base: ['{text}'] } }],
      tooLarge: [413, '413 Request Entity Too Large'],
    },
    response: created(Pipeline),
    handle: ({ caller, project, trigger, params, given, base }, services) =>
      startByToken(services, caller, {
        project,
        trigger,
        ref: params.ref,
        variables: params.variables ?? [],
        payload: payloadOf(given, { id: params.id, ref: params.ref }),
        baseUrl: base.url,
      }),
  });

export const triggerPipeline = starting('/projects/:id/trigger/pipeline', 'Start a pipeline by a token');

export const triggerPipelineOfRef = starting(
  '/projects/:id/ref/:ref/trigger/pipeline',
  'Start a pipeline of the ref in the path by a token',
);
