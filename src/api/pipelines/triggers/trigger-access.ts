import {
  getSignInBlock,
  getStateBlock,
  isSignedIn,
  type SignedInCaller,
  toCallerUser,
} from '#authentication/caller.ts';
import { findAnyJobToken } from '#authentication/tokens/job-tokens.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { type Access, type AccessCall, access } from '#http/access/access.ts';
import { forbidden, HttpError, notFound } from '#http/errors/http-error.ts';
import { firstHeader } from '#http/request/incoming.ts';
import { timestamp } from '#runtime/clock.ts';
import { hashToken } from '#security/tokens.ts';
import { findTriggerByTokenHash } from './store.ts';
import { triggerPipelineParams } from './trigger-parameters.ts';

/** A trigger token starts pipelines as its owner, independent of the caller (contract/runners.md §4.6). */

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
export function triggerTokenAccess(): Access<TriggerContext, typeof triggerPipelineParams> {
  return access({
    audience: 'tokenHolder',
    label: 'trigger token or job token',
    params: triggerPipelineParams,
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
