/** How deployments are shown where others show them: no family with endpoints of its own, but what environments and deployments are put together of. */
export { besideDeployments, deploymentFields, deploymentShape, LastDeployment } from './entities.ts';
