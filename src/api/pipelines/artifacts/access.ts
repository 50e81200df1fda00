import { ANONYMOUS, type Caller, type CallerUser, getSignInBlock, toCallerUser } from '#authentication/caller.ts';
import { findJobToken, type JobToken } from '#authentication/tokens/job-tokens.ts';
import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { type AccessCall, access } from '#http/access/access.ts';
import { checkRunnerLimit, getJobToken } from '#http/access/job-access.ts';
import { inProject } from '#http/access/project-access.ts';
import { TOO_MANY_REQUESTS } from '#http/errors/error-messages.ts';
import { forbidden, genericNotFound, unauthorized } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { timestamp } from '#runtime/clock.ts';
import { hashToken } from '#security/tokens.ts';
import { hasExpired, listSuccessfulPipelineIds, readJobAccess } from '../jobs/index.ts';
import { type Artifact, findArtifact, listJobsWithArchive } from './store.ts';

// Access to the archives of jobs. Callers who can read a job may download its archive, unless the CI file restricts
// access (`artifacts:access`, `artifacts:public`; contract/runners.md §6). Jobs of the same pipeline may always
// download it.

/** Abilities that each accessibility requires in addition to `read_job`; null: nobody has access. */
const ABILITY_BY_ACCESSIBILITY: Readonly<Record<Artifact['accessibility'], ProjectAbilityName | null>> = {
  public: 'read_job',
  private: 'read_private_artifacts',
  maintainer: 'read_maintainers_artifacts',
  none: null,
};

function requireAccessibility(caller: Caller, project: Project, { accessibility }: Artifact): void {
  const ability = ABILITY_BY_ACCESSIBILITY[accessibility];
  if (ability === null || !mayInProject(caller, ability, project)) throw forbidden();
}

/**
 * Returns the archive of a job, or null if it has none or the archive has expired. An expired archive stays available
 * while the project keeps the latest artifacts of its ref.
 */
export async function findAvailableArchive(db: Reader, jobId: number, now: string): Promise<Artifact | null> {
  const archive = await findArtifact(db, jobId, 'archive');
  return archive === null || (await hasExpired(db, jobId, archive.expire_at, now)) ? null : archive;
}

declare const allowed: unique symbol;

/**
 * An archive that the caller may download. Only this file creates this type, so that no archive is sent without a
 * check.
 */
export type AuthorizedArchive = Artifact & { readonly [allowed]: true };

const toAuthorizedArchive = <Resources extends { readonly archive: Artifact }>({ archive }: Resources) => ({
  archive: archive as AuthorizedArchive,
});

interface ArchiveContext {
  readonly caller: Caller;
  readonly project: Project;
  readonly archive: Artifact;
}

const requireArchiveAccess = (_call: AccessCall, { caller, project, archive }: ArchiveContext) =>
  requireAccessibility(caller, project, archive);

/** The label of archive access in `api.txt`. */
const ARCHIVE_ACCESS_LABEL = 'project:read_job + access rule of the artifact';

/** Loads the archive of the job in the path, for users (contract/runners.md §5.5). */
export function readArchiveAccess() {
  return readJobAccess()
    .resource({
      name: 'archive',
      load: ({ db, services }, { job }) => findAvailableArchive(db, job.id, timestamp(services.clock)),
      notFound: genericNotFound,
    })
    .require(requireArchiveAccess)
    .withLabel(ARCHIVE_ACCESS_LABEL)
    .map(toAuthorizedArchive);
}

const LATEST_ARCHIVE_PARAMS = {
  ref_name: describe(required(refName), 'Short name of a branch or tag; not a commit.'),
  job: describe(required(string), 'Name of the job.'),
  search_recent_successful_pipelines: describe(
    optional(boolean, false),
    'Uses the newest of the last 100 successful pipelines in which the job has an archive.',
  ),
};

/** Maximum number of successful pipelines that are searched on request. */
const MAX_RECENT_PIPELINES = 100;

/**
 * Loads the archive of the named job in the latest successful pipeline of a branch or tag. On request, searches several
 * pipelines for the latest one with this archive.
 */
export function readLatestArchiveAccess() {
  return inProject('read_job')
    .resource({
      name: 'archive',
      params: LATEST_ARCHIVE_PARAMS,
      async load({ db, services, params }, { project }) {
        const limit = params.search_recent_successful_pipelines ? MAX_RECENT_PIPELINES : 1;
        const pipelineIds = await listSuccessfulPipelineIds(db, project.id, params.ref_name, limit);
        const now = timestamp(services.clock);
        for (const jobId of await listJobsWithArchive(db, pipelineIds, params.job)) {
          const archive = await findAvailableArchive(db, jobId, now);
          if (archive !== null) return archive;
        }
        return null;
      },
      notFound: genericNotFound,
    })
    .require(requireArchiveAccess)
    .withLabel(ARCHIVE_ACCESS_LABEL)
    .map(toAuthorizedArchive);
}

const DEPENDENCY_PARAMS = { id: required(integer), token: optional(string) };

interface DependencyContext {
  readonly caller: Caller;
  readonly project: Project;
  readonly jobId: number;
  /** Whether the requesting job belongs to the same pipeline. */
  readonly isSamePipeline: boolean;
}

/**
 * Loads the archive of job `:id` for a running job, authenticated by its token. The user of that job must be able to
 * read jobs of the project (contract/runners.md §3.7). For endpoints with the stage order `clientToken`.
 */
export function dependencyTokenAccess() {
  return access<DependencyContext, typeof DEPENDENCY_PARAMS>({
    audience: 'tokenHolder',
    label: 'job token of a user with read_job',
    params: DEPENDENCY_PARAMS,
    // `load` does all checks, including authentication and authorization.
    authenticate: () => {},
    async load(call) {
      const { services, db, params, request } = call as AccessCall<{ id: number; token?: string }>;
      const token = getJobToken(request, params.token);
      const jobToken = token === null ? null : await findJobToken(db, hashToken(token));
      if (jobToken === null) throw unauthorized();
      await checkRunnerLimit(services, 'runner_jobs_endpoints_api_limit', jobToken.job.id);
      const job = await findProjectAndPipelineOfJob(db, params.id);
      if (job === null || getSignInBlock(jobToken.user, services.clock) !== null) throw forbidden();
      const caller = { ...ANONYMOUS, user: toRequestingUser(jobToken, job) };
      const project = await findProject(db, caller, String(job.project_id));
      const canRead = project && canSeeProject(caller, project) && mayInProject(caller, 'read_job', project);
      if (!canRead) throw forbidden();
      const isSamePipeline = (await findProjectAndPipelineOfJob(db, jobToken.job.id))?.pipeline_id === job.pipeline_id;
      return { caller, project, jobId: params.id, isSamePipeline };
    },
    authorize: () => {},
  })
    .resource({
      name: 'archive',
      load: ({ db, services }, { jobId }) => findAvailableArchive(db, jobId, timestamp(services.clock)),
      notFound: genericNotFound,
    })
    .require((_call, { caller, project, isSamePipeline, archive }) => {
      if (!isSamePipeline) requireAccessibility(caller, project, archive);
    })
    .map(toAuthorizedArchive)
    .withErrors({ tooMany: TOO_MANY_REQUESTS });
}

/**
 * Returns the user of the requesting job. An administrator's job has no administrator rights in other projects
 * (contract/conventions.md §7 "Job tokens"), because anyone who can change the CI file controls what the job does.
 */
function toRequestingUser(jobToken: JobToken, job: { readonly project_id: number }): CallerUser {
  const user = toCallerUser(jobToken.user);
  return { ...user, admin: user.admin && jobToken.job.projectId === job.project_id };
}

/** Returns the project and pipeline of a job, or null if there is no such job. index: jobs primary key */
async function findProjectAndPipelineOfJob(db: Reader, jobId: number) {
  const query = db.selectFrom('jobs').select(['project_id', 'pipeline_id']).where('id', '=', jobId);
  return (await query.executeTakeFirst()) ?? null;
}
