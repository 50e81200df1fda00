import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject, forgetWhoDeployed } from './ends.ts';
import { linkMergeRequests } from './link-merge-requests.ts';

// What other families may use of deployments.
export { addDeployment, changeDeploymentsOf } from './transition.ts';

export const deployments = family({
  endpoints,
  jobs: [linkMergeRequests],
  subscriptions: [endWithProject, forgetWhoDeployed],
});
