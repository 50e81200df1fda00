/**
 * The environment model: names, slugs, tiers, creation and state transitions. This module has no endpoints.
 */

export {
  EnvironmentBasic,
  type EnvironmentBasicRow,
  environmentFields,
  serializeEnvironmentFields,
} from './entities.ts';
export { validateExternalUrl } from './external-url.ts';
export { findOrCreateEnvironment, findUniquenessErrors, insertEnvironment } from './find-or-create.ts';
export { validateEnvironmentName } from './name-validation.ts';
export { environmentLockKey, environmentLockKeys, setEnvironmentState } from './state-transitions.ts';
export { ENVIRONMENT_TIERS, guessTier } from './tier.ts';
export { type EnvironmentPatch, updateEnvironmentRow } from './update.ts';
