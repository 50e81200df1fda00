import type { Families } from '#http/endpoint/resource-module.ts';
import { deploymentJobs } from './deployment-jobs/index.ts';
import { deployments } from './deployments/index.ts';
import { environments as environmentsFamily } from './environments/index.ts';
import { protectedEnvironments } from './protected-environments/index.ts';

/**
 * Where what a project makes is put to work, what was put there, and who may.
 *
 * Environments are made and change their state in `api/environments/targets/`, deployments in `deployments/status-transitions.ts`, and nowhere
 * else: a step is a compare-and-set on the row, and what follows from it is in the same act, whoever brings it on. Whatever deploys to
 * an environment or stops it does so in the environment's turn, so that of fifty reports at once each finds what the one before has left.
 * What runs in an environment is of its successful deployments the one that has finished last. Who may deploy there is asked in
 * `authorization/protected-environments/deployment-rules.ts` by everybody alike, of the protections of the project by name and of all groups above by tier; who must approve in
 * `authorization/protected-environments/approvals.ts`. Which merge requests a deployment has shipped the queue finds out, by the commits since the success before.
 */
export const environments: Families = {
  deployments,
  environments: environmentsFamily,
  'protected-environments': protectedEnvironments,
  'deployment-jobs': deploymentJobs,
};
