import { Type } from 'typebox';
import { Pipeline } from '#api/code/pipeline-summaries/index.ts';
import {
  getSignInBlock,
  getStateBlock,
  isSignedIn,
  type SignedInCaller,
  toCallerUser,
} from '#authentication/caller.ts';
import { findAnyJobToken } from '#authentication/tokens/job-tokens.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { PipelineRow } from '#authorization/pipelines.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { type Access, type AccessCall, access } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { forbidden, HttpError, notFound } from '#http/errors/http-error.ts';
import { isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { limitedText, refName, string } from '#http/parameters/texts.ts';
import { addTooManyElements, MAX_ARRAY_LENGTH } from '#http/parameters/types.ts';
import { firstHeader } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { hashToken } from '#security/tokens.ts';
import type { EvaluationClient } from '../ci-file/index.ts';
import { createPipelineForRef, PIPELINE_CREATION_ERRORS } from '../pipelines/index.ts';
import { findTriggerByTokenHash } from './store.ts';

// Parameters for starting a pipeline by a token (contract/runners.md §4.6).

const variableKey = limitedText(255);
const variableValue = limitedText(50_000);

/**
 * Parameter type for an object of texts. It passes other values through: `triggerTokenAccess` rejects them with its own
 * error.
 */
const stringMap: ParameterType<readonly (readonly [key: string, value: unknown])[]> = {
  schema: Type.Record(Type.String({ maxLength: 255 }), Type.String({ maxLength: 50_000 }), {
    maxProperties: MAX_ARRAY_LENGTH,
  }),
  isObject: true,
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (!isParameterObject(raw)) return problems.addInvalid(name);
    const entries = Object.entries(raw);
    if (entries.length > MAX_ARRAY_LENGTH) return addTooManyElements(name, MAX_ARRAY_LENGTH, problems);
    return entries.map(([entryName, rawValue]) => {
      const key = variableKey.read(entryName, name, problems) ?? '';
      return [
        key,
        typeof rawValue === 'string' ? variableValue.read(rawValue, `${name}[${key}]`, problems) : rawValue,
      ] as const;
    });
  },
};

const triggerPipelineParams = {
  token: describe(required(string), 'Trigger token of the project, or the token of a running job.'),
  ref: describe(required(refName), 'Branch or tag for which the pipeline is created.'),
  variables: describe(optional(stringMap), 'Variables of all jobs: texts by key, as `variables[KEY]=value` in a form.'),
};

/** Maximum size of the payload that jobs get. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** Names left out of the payload: credentials, and the path, which is added separately. */
const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  'id',
  'ref',
  'token',
  'private_token',
  'access_token',
  'bearer_token',
  'job_token',
]);

/**
 * Returns all parameters of the request as JSON for jobs, such as the event of a webhook, without credentials. Returns
 * null if they are too large; stops as soon as the limit is exceeded.
 */
function buildTriggerPayload(
  rawParams: RawParameters,
  path: { readonly id: string; readonly ref: string },
): string | null {
  let bytesLeft = MAX_PAYLOAD_BYTES;
  // `this` is the object that contains the name: excluded names apply to the top level only.
  function replaceValue(this: unknown, name: string, value: unknown): unknown {
    if (this === rawParams && EXCLUDED_NAMES.has(name)) return undefined;
    bytesLeft -= name.length + (typeof value === 'string' ? value.length : 1);
    if (bytesLeft < 0) throw new PayloadTooLarge();
    return value;
  }
  try {
    const [pathJson, paramsJson] = [JSON.stringify(path), JSON.stringify(rawParams, replaceValue)];
    // Joins the two objects; the path comes first.
    const payload = paramsJson === '{}' ? pathJson : `${pathJson.slice(0, -1)},${paramsJson.slice(1)}`;
    return Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES ? null : payload;
  } catch (error) {
    if (error instanceof PayloadTooLarge) return null;
    throw error;
  }
}

class PayloadTooLarge extends Error {}

// A trigger token starts pipelines as its owner, independent of the caller (contract/runners.md §4.6).

/** The user and project that a token starts pipelines for. */
interface TriggerContext {
  readonly caller: SignedInCaller;
  readonly project: Project;
  /** Null for a job token. */
  readonly trigger: { readonly id: number; readonly short_token: string } | null;
}

/**
 * Authenticates by a trigger or job token, for endpoints with the stage order `clientToken`. Without a valid token the
 * response does not reveal whether the project exists.
 */
function triggerTokenAccess(): Access<TriggerContext, typeof triggerPipelineParams> {
  return access({
    audience: 'tokenHolder',
    label: 'trigger token or job token',
    params: triggerPipelineParams,
    // `load` authenticates by the token, because this stage order has no stage for credentials.
    authenticate: () => {},
    async load(call) {
      rejectInvalidRequest(call);
      return authenticateByTrigger(call).then((triggerContext) => triggerContext ?? authenticateByJob(call));
    },
    authorize: () => {},
  });
}

/** Rejects pipeline webhooks, which would start pipelines in an endless loop, and variables that are not texts. */
function rejectInvalidRequest({ request, params }: AccessCall): void {
  if (firstHeader(request.headers['x-gitlab-event']) === 'Pipeline Hook') throw forbidden();
  const variables = params.variables as readonly (readonly [string, unknown])[] | null | undefined;
  if (variables?.some(([, value]) => typeof value !== 'string')) {
    throw new HttpError(400, { message: 'variables needs to be a map of key-valued strings' });
  }
}

/** Returns the owner and project of a trigger token, or null if the token is not a trigger token. */
async function authenticateByTrigger(call: AccessCall): Promise<TriggerContext | null> {
  const { db, services, params, request } = call;
  const trigger = await findTriggerByTokenHash(db, hashToken(params.token as string), timestamp(services.clock));
  if (trigger === null) return null;
  const caller = await loadCaller(db, trigger.owner_id, request.clientAddress);
  if (!isSignedIn(caller) || getStateBlock(caller.user) !== null) throw notFound();
  const project = await loadVisibleProject(call, caller);
  if (project.id !== trigger.project_id) throw notFound();
  return { caller, project, trigger };
}

/** Throws if the token is not a job token, or its job is not running. */
async function authenticateByJob(call: AccessCall): Promise<TriggerContext> {
  const { db, services, params, request } = call;
  const jobToken = await findAnyJobToken(db, hashToken(params.token as string));
  if (jobToken === null || getSignInBlock(jobToken.user, services.clock) !== null) throw notFound();
  const { job, user } = jobToken;
  const token = { kind: 'job', id: job.id, scopes: [], impersonation: false } as const;
  const caller: SignedInCaller = { user: toCallerUser(user), token, job, address: request.clientAddress };
  const project = await loadVisibleProject(call, caller);
  if (!jobToken.isRunning) throw new HttpError(401, { message: 'Job is not running' });
  return { caller, project, trigger: null };
}

async function loadVisibleProject({ db, path }: AccessCall, caller: SignedInCaller): Promise<Project> {
  const project = await findProject(db, caller, path.id ?? '');
  if (project === null || !canSeeProject(caller, project)) throw notFound();
  return project;
}

type TriggerPath = '/projects/:id/trigger/pipeline' | '/projects/:id/ref/:ref/trigger/pipeline';

const triggerEndpoint = (post: TriggerPath, summary: string) =>
  endpoint({
    post,
    summary,
    description:
      'Creates a pipeline as the owner of the trigger token or the user of the running job; API credentials are ignored. Jobs get all parameters of the request in the file variable `TRIGGER_PAYLOAD`. Answers 404 for an invalid token, also if the project exists. An invalid CI file answers 422 and stores a failed pipeline. Pipeline webhooks of another server are rejected with 403, because they could start pipelines in a loop.',
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
