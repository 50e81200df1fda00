import { ENVIRONMENT_TIERS } from '../environment-model/index.ts';

// Validation of names of protected environments: an environment name in projects, a tier in groups.

const MAX_LENGTH = 255;

/** Returns the error messages for the name of a protection. */
export function validateProtectionName(owner: 'group' | 'project', name: string): string[] {
  if (owner === 'group') {
    return ENVIRONMENT_TIERS.some((tier) => tier === name)
      ? []
      : [`Name must be one of environment tiers: ${ENVIRONMENT_TIERS.join(', ')}.`];
  }
  if (name.trim() === '') return ["Name can't be blank"];
  return [...name].length > MAX_LENGTH ? [`Name is too long (maximum is ${MAX_LENGTH} characters)`] : [];
}
