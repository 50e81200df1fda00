import { type Project, roleIn } from '../../../access/projects.ts';
import { DEVELOPER, MAINTAINER, OWNER } from '../../../access/roles.ts';
import { type Caller, isAdministrator } from '../../../identity/caller.ts';
import { storedAttributes } from '../../places/projects/index.ts';

const LEAST_ROLES: Readonly<Record<string, number>> = { developer: DEVELOPER, maintainer: MAINTAINER, owner: OWNER };

/** May the caller give a pipeline variables of his own (contract/runners.md §4.5)? */
export function maySetVariables(caller: Caller, project: Project): boolean {
  if (isAdministrator(caller)) return true;
  const least = LEAST_ROLES[storedAttributes(project).ci_pipeline_variables_minimum_override_role];
  return least !== undefined && roleIn(caller, project) >= least;
}
