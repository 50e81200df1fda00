import { Pipeline } from '#api/code/pipeline-summaries/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { PipelineRow } from '#authorization/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { EvaluationClient } from '../ci-file/index.ts';
import { createPipelineForRef, PIPELINE_CREATION_ERRORS } from '../pipelines/index.ts';
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

interface TriggerInput {
  readonly project: Project;
  /** Null if a job token starts the pipeline. */
  readonly trigger: { readonly id: number; readonly short_token: string } | null;
  readonly ref: string;
  readonly variables: readonly (readonly [key: string, value: unknown])[];
  /** JSON of the request's parameters; null if they are too large. */
  readonly payload: string | null;
  readonly baseUrl: string;
  readonly client: EvaluationClient;
}

/**
 * Creates a pipeline as the owner of the token. An invalid CI file is reported twice: by a failed pipeline, and in the
 * response.
 */
async function triggerPipelineByToken(
  services: Pick<Services, 'database' | 'git' | 'runUnitOfWork' | 'secretKey'>,
  owner: SignedInCaller,
  { project, trigger, ref, variables, payload, baseUrl, client }: TriggerInput,
): Promise<PipelineRow | Failure<'tooLarge' | 'invalidCiFile' | keyof typeof PIPELINE_CREATION_ERRORS>> {
  if (payload === null) return fail('tooLarge');
  const result = await createPipelineForRef(services, owner, project, {
    ref,
    source: trigger === null ? 'pipeline' : 'trigger',
    // `triggerTokenAccess` has rejected values that are not texts.
    variables: variables.map(([key, value]) => ({ key, value: value as string, variable_type: 'env_var', raw: false })),
    extraVariables: [{ key: 'TRIGGER_PAYLOAD', value: payload, variable_type: 'file', raw: true }],
    starter: trigger === null ? {} : { trigger_id: trigger.id, trigger_token: trigger.short_token },
    storeIfInvalid: true,
    baseUrl,
    client,
  });
  if (isFailure(result) || result.yaml_errors === null) return result;
  return fail('invalidCiFile', { text: result.yaml_errors });
}
