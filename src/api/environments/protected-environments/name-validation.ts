import { TIERS } from '../environment-model/index.ts';

/** What a protected environment may be called: in a project as an environment, in a group as a tier of environments. */

const LONGEST = 255;

export function nameProblems(owner: 'group' | 'project', name: string): string[] {
  if (owner === 'group') {
    return TIERS.some((tier) => tier === name) ? [] : [`Name must be one of environment tiers: ${TIERS.join(', ')}.`];
  }
  if (name.trim() === '') return ["Name can't be blank"];
  return [...name].length > LONGEST ? [`Name is too long (maximum is ${LONGEST} characters)`] : [];
}
