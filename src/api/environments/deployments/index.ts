import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { linkMergeRequests } from './link-merge-requests.ts';
import { endWithProject, forgetWhoDeployed } from './on-delete.ts';

// What other families may use of deployments.
export { addDeployment, changeDeploymentsOf } from './status-transitions.ts';

export const deployments = family({
  endpoints,
  jobs: [linkMergeRequests],
  subscriptions: [endWithProject, forgetWhoDeployed],
});
