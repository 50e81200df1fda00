import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { DEVELOPER, MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';

const ROLES = { developer: DEVELOPER, maintainer: MAINTAINER, owner: OWNER } as const;

/**
 * Returns whether the caller may set variables of pipelines, jobs and schedules (contract/runners.md §4.5 "Who may set
 * pipeline variables").
 */
export function canSetPipelineVariables(caller: Caller, project: Project): boolean {
  if (isAdministrator(caller)) return true;
  const minimumRole = parseStoredAttributes(project).ci_pipeline_variables_minimum_override_role;
  return minimumRole !== 'no_one_allowed' && getProjectRole(caller, project) >= ROLES[minimumRole];
}
