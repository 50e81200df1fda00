/**
 * The environment model: names, slugs, tiers, creation and state transitions. This module has no endpoints.
 */

export {
  ENVIRONMENT_TIERS,
  type EnvironmentPatch,
  findOrCreateEnvironment,
  findUniquenessErrors,
  guessTier,
  insertEnvironment,
  updateEnvironmentRow,
} from './changes.ts';
export {
  EnvironmentBasic,
  type EnvironmentBasicRow,
  environmentFields,
  serializeEnvironmentFields,
} from './entities.ts';
export { validateExternalUrl } from './external-url.ts';
export { validateEnvironmentName } from './name-validation.ts';
export { environmentLockKey, environmentLockKeys, setEnvironmentState } from './state-transitions.ts';
