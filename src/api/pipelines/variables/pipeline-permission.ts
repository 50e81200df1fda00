import { storedAttributes } from '#api/namespaces/projects/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { DEVELOPER, MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';

const ROLES = { developer: DEVELOPER, maintainer: MAINTAINER, owner: OWNER } as const;

/**
 * May the caller give variables of his own to pipelines and jobs, now or by a schedule (contract/runners.md §4.5 "Who may set
 * pipeline variables")?
 */
export function maySetPipelineVariables(caller: Caller, project: Project): boolean {
  if (isAdministrator(caller)) return true;
  const least = storedAttributes(project).ci_pipeline_variables_minimum_override_role;
  return least !== 'no_one_allowed' && getProjectRole(caller, project) >= ROLES[least];
}
