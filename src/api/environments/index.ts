import type { ResourceModules } from '#http/endpoint/resource-module.ts';
import { deploymentJobs } from './deployment-jobs/index.ts';
import { deployments } from './deployments/index.ts';
import { environments as environmentsModule } from './environments/index.ts';
import { protectedEnvironments } from './protected-environments/index.ts';

/**
 * Environments, deployments, and protected environments.
 *
 * Only `environment-model/` creates environments and changes their state; only `deployments/status-transitions.ts`
 * changes the status of deployments. A transition is a compare-and-set on the row; its effects run in the same
 * unit of work. Code that deploys to an environment or stops it holds its lock (`environmentLockKey`), so that
 * concurrent reports see each other. The running deployment of an environment is the successful one that finished last.
 * `authorization/protected-environments/deployment-rules.ts` decides who may deploy, and who must approve, by the
 * project's protections by name and those of all ancestor groups by tier. A background job links the
 * merge requests of a deployment, by the commits since the previous success.
 */
export const environments: ResourceModules = {
  deployments,
  environments: environmentsModule,
  'protected-environments': protectedEnvironments,
  'deployment-jobs': deploymentJobs,
};
