import { ANONYMOUS, type Caller, type CallerUser } from '#authentication/caller.ts';
import { userBar } from '#authentication/sign-in-blocks.ts';
import { findJobToken, type JobToken, jobUser } from '#authentication/tokens/job-tokens.ts';
import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { type AccessCall, access } from '#http/access/access.ts';
import { givenToken, limitRunner } from '#http/access/job-access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, nestedNotFound, unauthorized } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { timestamp } from '#runtime/clock.ts';
import { digestToken } from '#security/tokens.ts';
import { latestSuccess, readingJob } from '../jobs/index.ts';
import { type AllowedArchive, findArchive } from './download.ts';
import { type Artifact, latestNamed } from './store.ts';

/**
 * Who has the archives of jobs: whoever reads the jobs, unless their CI files give them to fewer (`artifacts:access`,
 * `artifacts:public`; contract/runners.md §6). Other jobs of the same pipeline have them whatever the file says of people.
 */

/** What each asks for besides reading the job; null: nobody has it. */
const ABILITIES: Readonly<Record<Artifact['accessibility'], ProjectAbilityName | null>> = {
  public: 'read_job',
  private: 'read_private_artifacts',
  maintainer: 'read_maintainers_artifacts',
  none: null,
};

function requireAllowed(caller: Caller, project: Project, { accessibility }: Artifact): void {
  const ability = ABILITIES[accessibility];
  if (ability === null || !mayInProject(caller, ability, project)) throw forbidden();
}

const allowed = <Found extends { readonly archive: Artifact }>({ archive }: Found) => ({
  archive: archive as AllowedArchive,
});

interface OfPeople {
  readonly caller: Caller;
  readonly project: Project;
  readonly archive: Artifact;
}

/** What is asked of people besides, and what `api.txt` says of it. */
const whomItIsGiven = [
  (_call: AccessCall, { caller, project, archive }: OfPeople) => requireAllowed(caller, project, archive),
  'project:read_job + whom its file gives it',
] as const;

/** The archive of the job that the path names, for people (contract/runners.md §5.5). */
export function readingArchive() {
  return readingJob()
    .resource({
      name: 'archive',
      load: ({ db, services }, { job }) => findArchive(db, job.id, timestamp(services.clock)),
      notFound: nestedNotFound,
    })
    .require(...whomItIsGiven)
    .map(allowed);
}

const OF_REF = { ref_name: required(refName), job: required(string) };

/** The archive of the job with a name, in the newest pipeline of a branch or tag that succeeded. */
export function readingLatestArchive() {
  return inProject('read_job')
    .resource({
      name: 'archive',
      params: OF_REF,
      async load({ db, services, params }, { project }) {
        const pipeline = await latestSuccess(db, project.id, params.ref_name);
        const job = pipeline === null ? null : await latestNamed(db, pipeline, params.job);
        return job === null ? null : findArchive(db, job, timestamp(services.clock));
      },
      notFound: nestedNotFound,
    })
    .require(...whomItIsGiven)
    .map(allowed);
}

const OF_FILES = { id: required(integer), token: optional(string) };

interface Found {
  readonly caller: Caller;
  readonly project: Project;
  readonly jobId: number;
  /** Whether the job that asks is one of its pipeline. */
  readonly isOwn: boolean;
}

/**
 * The archive of the job `:id`, for any running job, by its token, whose user may read the jobs of that project
 * (contract/runners.md §3.7). For endpoints of the order `ownProof`.
 */
export function byReadersToken() {
  return access<Found, typeof OF_FILES>({
    audience: 'key',
    label: "job token, any reader's",
    params: OF_FILES,
    authenticate: () => {},
    async load(call) {
      const { services, db, params, request } = call as AccessCall<{ id: number; token?: string }>;
      const token = givenToken(request, params.token);
      const asking = token === null ? null : await findJobToken(db, digestToken(token));
      if (asking === null) throw unauthorized();
      await limitRunner(services, 'runner_jobs_endpoints_api_limit', asking.job.id);
      const job = await placeOfJob(db, params.id);
      if (job === null || userBar(asking.user, services.clock) !== null) throw forbidden();
      const caller = { ...ANONYMOUS, user: readerOf(asking, job) };
      const project = await findProject(db, caller, String(job.project_id));
      const may = project && canSeeProject(caller, project) && mayInProject(caller, 'read_job', project);
      if (!may) throw forbidden();
      const isOwn = (await placeOfJob(db, asking.job.id))?.pipeline_id === job.pipeline_id;
      return { caller, project, jobId: params.id, isOwn };
    },
    authorize: () => {},
  })
    .resource({
      name: 'archive',
      load: ({ db, services }, { jobId }) => findArchive(db, jobId, timestamp(services.clock)),
      notFound: nestedNotFound,
    })
    .require((_call, { caller, project, isOwn, archive }) => {
      if (!isOwn) requireAllowed(caller, project, archive);
    })
    .map(allowed);
}

/**
 * The user whose job asks. An administrator's job is nobody's administrator in another project, as elsewhere
 * (contract/conventions.md §7 "Job tokens"): what it does is written by whoever changes the CI file of its own.
 */
function readerOf(asking: JobToken, of: { readonly project_id: number }): CallerUser {
  const user = jobUser(asking.user);
  return { ...user, admin: user.admin && asking.job.projectId === of.project_id };
}

/** index: jobs primary key */
async function placeOfJob(db: Reader, jobId: number) {
  const place = db.selectFrom('jobs').select(['project_id', 'pipeline_id']).where('id', '=', jobId);
  return (await place.executeTakeFirst()) ?? null;
}
