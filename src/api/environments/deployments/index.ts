import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { linkMergeRequests } from './shipped-merge-requests.ts';

// Public interface for other resources.
export { insertDeployment, setDeploymentStatusOfJobs } from './status-transitions.ts';

export const deployments = resourceModule({
  endpoints,
  jobs: [linkMergeRequests],
});
