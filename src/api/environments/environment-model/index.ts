// The environment model: names, slugs, tiers, creation and state transitions, and the serialized fields that environments and
// deployments share. This module has no endpoints.

export {
  ENVIRONMENT_TIERS,
  type EnvironmentPatch,
  environmentLockKey,
  environmentLockKeys,
  findOrCreateEnvironment,
  findUniquenessErrors,
  guessTier,
  insertEnvironment,
  setEnvironmentState,
  updateEnvironmentRow,
} from './changes.ts';
export {
  deploymentFields,
  ENVIRONMENT_COLUMNS,
  EnvironmentBasic,
  environmentFields,
  LastDeployment,
  loadDeploymentRelations,
  serializeDeploymentFields,
} from './entities.ts';
export { validateEnvironmentName, validateExternalUrl } from './validation.ts';
