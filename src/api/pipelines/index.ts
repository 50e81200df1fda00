import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import { artifacts } from './artifacts/index.ts';
import { jobRequests } from './job-requests/index.ts';
import { jobs } from './jobs/index.ts';
import * as lint from './lint/endpoints.ts';
import { pipelineSchedules } from './pipeline-schedules/index.ts';
import { pipelines as pipelinesModule } from './pipelines/index.ts';
import * as resourceGroups from './resource-groups/endpoints.ts';
import { runners } from './runners/index.ts';
import * as statuses from './statuses/endpoints.ts';
import { traces } from './traces/index.ts';
import { triggers } from './triggers/index.ts';
import { variables } from './variables/index.ts';

/**
 * CI/CD: pipelines, jobs, runners and their data. A push publishes `refs-changed`; a background job reads the CI file
 * of the new commit (`api/pipelines/ci-file/`, pure: YAML in, planned jobs or the contract's error out) and inserts
 * pipeline and jobs in one transaction, once per origin. Afterwards only `processing/` changes the status of jobs and
 * pipelines. A transition is a compare-and-set on the job's row; its consequences (computed by `job-readiness.ts`,
 * pure) are written in the same transaction, under the lock of the project's jobs. Runners poll `job-requests/`: the
 * queue version of a runner increases whenever a suitable job becomes pending, so most polls end without reading jobs.
 * Otherwise pending jobs are matched through a partial index and assigned by one compare-and-set. A job's token is
 * stored as a hash and is valid while the job runs. Its log arrives in chunks, each a blob and a row that starts where
 * the previous one ended, and is assembled in the background. Artifacts are blobs too. External commit statuses
 * (`statuses/`) have their own table, so that runners read only jobs; the status of a pipeline is computed from both.
 * All requests for a pipeline of a ref go through `createPipelineForRef`, which checks the rights of the user: the
 * caller of the API, the owner of a trigger token (`triggers/`), or the owner of a schedule. A due schedule is advanced
 * by a compare-and-set in the transaction that enqueues its run. The origin of the run is the due timestamp, so that
 * retries create only one pipeline. Jobs with an environment are checked further (`processing/deployment-check.ts`,
 * which reads `authorization/protected-environments/deployment-jobs.ts`): when a job would start, and again when a
 * runner takes it, its user must pass the environment's protection rules. A job that needs approval waits like a manual
 * job. Each transition of a job with an environment is published as an event (`processing/job-transitions.ts`), from which
 * `environments/deploying/` creates environments and deployments in the same transaction.
 */
export const pipelines: ResourceModules = {
  jobs,
  pipelines: pipelinesModule,
  triggers,
  'pipeline-schedules': pipelineSchedules,
  'resource-groups': resourceModule({ endpoints: resourceGroups }),
  runners,
  'job-requests': jobRequests,
  traces,
  artifacts,
  variables,
  lint: resourceModule({ endpoints: lint }),
  statuses: resourceModule({ endpoints: statuses }),
};
