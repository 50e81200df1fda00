import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { stateBar, userBar } from '#authentication/sign-in-blocks.ts';
import { findTokenOfAnyJob, jobUser } from '#authentication/tokens/job-tokens.ts';
import { callerOf } from '#authentication/users/users.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { type Access, type AccessCall, access } from '#http/access/access.ts';
import { forbidden, HttpError, notFound } from '#http/errors/http-error.ts';
import { single } from '#http/request/incoming.ts';
import { timestamp } from '#runtime/clock.ts';
import { digestToken } from '#security/tokens.ts';
import { triggerWithToken } from './store.ts';
import { startParams } from './trigger-parameters.ts';

/** Who starts a pipeline by a token: its owner, whoever sends it (contract/runners.md §4.6). */

/** In whose name a token starts pipelines, and of what. */
interface Proven {
  readonly caller: SignedInCaller;
  readonly project: Project;
  /** Null: the token is a job's. */
  readonly trigger: { readonly id: number; readonly short_token: string } | null;
}

/** Of endpoints with the order `ownProof`. Who has no token that counts here does not hear whether the project is there. */
export function byTriggerToken(): Access<Proven, typeof startParams> {
  return access({
    audience: 'key',
    label: 'trigger token or job token',
    params: startParams,
    authenticate: () => {},
    async load(call) {
      refuseForeignEvents(call);
      return provenByTrigger(call).then((proven) => proven ?? provenByJob(call));
    },
    authorize: () => {},
  });
}

/** What tells of pipelines would start the next one, and so on. */
function refuseForeignEvents({ request, params }: AccessCall): void {
  if (single(request.headers['x-gitlab-event']) === 'Pipeline Hook') throw forbidden();
  const variables = params.variables as readonly (readonly [string, unknown])[] | null | undefined;
  if (variables?.some(([, value]) => typeof value !== 'string')) {
    throw new HttpError(400, { message: 'variables needs to be a map of key-valued strings' });
  }
}

/** Null: it is no trigger's. */
async function provenByTrigger(call: AccessCall): Promise<Proven | null> {
  const { db, services, params, request } = call;
  const trigger = await triggerWithToken(db, digestToken(params.token as string), timestamp(services.clock));
  if (trigger === null) return null;
  const caller = await callerOf(db, trigger.owner_id, request.clientAddress);
  if (!isSignedIn(caller) || stateBar(caller.user) !== null) throw notFound();
  const project = await projectFor(call, caller);
  if (project.id !== trigger.project_id) throw notFound();
  return { caller, project, trigger };
}

async function provenByJob(call: AccessCall): Promise<Proven> {
  const { db, services, params, request } = call;
  const found = await findTokenOfAnyJob(db, digestToken(params.token as string));
  if (found === null || userBar(found.user, services.clock) !== null) throw notFound();
  const { job, user } = found;
  const token = { kind: 'job', id: job.id, scopes: [], impersonation: false } as const;
  const caller: SignedInCaller = { user: jobUser(user), token, job, address: request.clientAddress };
  const project = await projectFor(call, caller);
  if (!found.runs) throw new HttpError(401, { message: 'Job is not running' });
  return { caller, project, trigger: null };
}

async function projectFor({ db, path }: AccessCall, caller: SignedInCaller): Promise<Project> {
  const project = await findProject(db, caller, path.id ?? '');
  if (project === null || !canSeeProject(caller, project)) throw notFound();
  return project;
}
