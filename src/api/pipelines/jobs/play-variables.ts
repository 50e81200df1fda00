import type { KeyObject } from 'node:crypto';
import { type Project, roleIn } from '../../../access/projects.ts';
import { DEVELOPER, MAINTAINER, OWNER } from '../../../access/roles.ts';
import { type Caller, isAdministrator } from '../../../identity/caller.ts';
import { encrypt } from '../../../secrets/encryption.ts';
import { storedAttributes } from '../../places/projects/index.ts';
import { JOB_VARIABLE } from '../processing/index.ts';

/** Variables that a job is given when it is played. */

const ROLES = { developer: DEVELOPER, maintainer: MAINTAINER, owner: OWNER } as const;

/** May the caller give variables to pipelines and jobs (contract/runners.md §4.5 "Who may set pipeline variables")? */
export function mayGiveVariables(caller: Caller, project: Project): boolean {
  if (isAdministrator(caller)) return true;
  const least = storedAttributes(project).ci_pipeline_variables_minimum_override_role;
  return least !== 'no_one_allowed' && roleIn(caller, project) >= ROLES[least];
}

/** As they are stored; of two of one name the later counts. */
export function sealed(key: KeyObject, variables: readonly { readonly key: string; readonly value: string }[]) {
  const last = new Map(variables.map((variable) => [variable.key, variable.value]));
  return [...last].map(([name, value]) => ({ key: name, value: encrypt(key, value, JOB_VARIABLE) }));
}
