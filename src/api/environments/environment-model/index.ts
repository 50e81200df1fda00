/**
 * What environments are, whoever makes, changes or shows them: their names, slugs and tiers, and the one way in which they are
 * made and change their state. No family with endpoints of its own.
 */

export { EnvironmentBasic, type EnvironmentBasicRow, environmentFields, environmentShape } from './entities.ts';
export { externalUrlErrors } from './external-url.ts';
export { environmentFor, insertEnvironment, takenErrors } from './find-or-create.ts';
export { nameErrors } from './name-validation.ts';
export { enterState, environmentTurn, turnsWithJobs } from './state-transitions.ts';
export { guessTier, TIERS } from './tier.ts';
export { changeEnvironment, type EnvironmentChange } from './update.ts';
