/** Serialization of deployments, shared by environments and deployments. This module has no endpoints. */
export { deploymentFields, LastDeployment, loadDeploymentRelations, serializeDeploymentFields } from './entities.ts';
