import type { Families } from '#http/endpoint/resource-module.ts';
import { artifacts } from './artifacts/index.ts';
import { jobRequests } from './job-requests/index.ts';
import { jobs } from './jobs/index.ts';
import { lint } from './lint/index.ts';
import { pipelineSchedules } from './pipeline-schedules/index.ts';
import { pipelines as pipelinesFamily } from './pipelines/index.ts';
import { resourceGroups } from './resource-groups/index.ts';
import { runners } from './runners/index.ts';
import { statuses } from './statuses/index.ts';
import { traces } from './traces/index.ts';
import { triggers } from './triggers/index.ts';
import { variables } from './variables/index.ts';

/**
 * What is run of a repository, and who runs it.
 *
 * A push tells `refs-changed`; the queue reads the CI file of the new commit (`api/pipelines/ci-file/`, pure: YAML in, planned jobs or the
 * contract's error out, in bounded turns) and adds pipeline and jobs in one act, once for an origin. From then on
 * `processing/` is the one way in which a job or pipeline changes its status: a step is a compare-and-set on the job's row, and all
 * that follows from it (`job-readiness.ts` says what, pure) is in the same act, in the turn of the project's jobs. Runners ask `job-requests/`: a value
 * counted up whenever a job that they might take becomes pending tells most of them that there is nothing, without a look at jobs;
 * else the pending ones are matched through a partial index, however many have ended, and handed out by one compare-and-set. A
 * job's token is kept as its digest and is worth something while the job runs. Its log comes in pieces, each a blob and a row
 * that begins where the one before has ended, and is put together in the background; artifacts are blobs too. What other tools say
 * of a commit (`statuses/`) has a table of its own, so that runners look at jobs alone; the status of a pipeline is composed of both.
 *
 * Whoever asks for a pipeline of a branch takes one way, `createOfRef`, in which his rights decide: the API for its caller, tokens
 * for their owners (`triggers/`), schedules for theirs. A schedule that is due is moved on by a compare-and-set, in the act that
 * adds its run to the queue; the run's origin is that moment, so that however often it is begun there is one pipeline of it.
 *
 * Jobs with an environment are asked for more (`processing/deployment-check.ts`, which reads `authorization/protected-environments/deployment-jobs.ts`): whenever one would start,
 * and again when a runner takes it, its user must pass the environment's protections; what has to be approved of waits like a manual
 * job. Every step of such a job is told as a fact (`processing/job-transitions.ts`); `environments/deploying/` makes environments and
 * deployments of it, in the same act. Jobs without one cost nothing for it.
 */
export const pipelines: Families = {
  jobs,
  pipelines: pipelinesFamily,
  triggers,
  'pipeline-schedules': pipelineSchedules,
  'resource-groups': resourceGroups,
  runners,
  'job-requests': jobRequests,
  traces,
  artifacts,
  variables,
  lint,
  statuses,
};
