/** Serialization of deployments, shared by environments and deployments. This module has no endpoints. */
export { deploymentFields, deploymentShape, LastDeployment, loadDeploymentRelations } from './entities.ts';
