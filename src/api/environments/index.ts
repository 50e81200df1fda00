import type { Families } from '../../http/endpoint/family.ts';
import { deploying } from './deploying/index.ts';
import { deployments } from './deployments/index.ts';
import { environments as environmentsFamily } from './environments/index.ts';
import { protectedEnvironments } from './protected-environments/index.ts';

/** Where what a project makes is put to work, what was put there, and who may. */
export const environments: Families = {
  deployments,
  environments: environmentsFamily,
  'protected-environments': protectedEnvironments,
  deploying,
};
