import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import { findIssue, type Issue, mayReadIssue, mayUpdateIssue } from '#authorization/issues.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject, inPublicProject } from '#http/access/project-access.ts';
import { forbidden, nestedNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** The issue of `:issue_iid`, for who may read it; to all others it is not there. */
export const readableIssue = {
  name: 'issue',
  params: { issue_iid: required(integer) },
  async load(
    { db, caller, params }: AccessCall<{ readonly issue_iid: number }>,
    { project }: { readonly project: Project },
  ) {
    const issue = await findIssue(db, caller, project.id, params.issue_iid);
    return issue !== null && mayReadIssue(caller, project, issue) ? issue : null;
  },
  notFound: nestedNotFound,
} as const;

/** Whoever reads it, the public where it is open. */
export const readingIssue = () => inPublicProject('read_project').resource(readableIssue);

interface OfProject {
  readonly project: Project;
}

/** The issue of `:issue_iid`, which is there for everybody: who may not read it may nothing else with it either. */
export const anyIssue = (
  missing: () => unknown,
  allow: (call: AccessCall, found: OfProject & { issue: Issue }) => void,
) =>
  ({
    name: 'issue',
    params: { issue_iid: required(integer) },
    load: ({ db, caller, params }: AccessCall<{ readonly issue_iid: number }>, { project }: OfProject) =>
      findIssue(db, caller, project.id, params.issue_iid),
    notFound: missing,
    authorize: allow,
  }) as const;

/** Who may change its text and state: members from Planner on, its author and its assignees. */
export const updatingIssue = () =>
  inProject('read_project')
    .resource(
      anyIssue(nestedNotFound, ({ caller }, { project, issue }) => {
        if (!mayUpdateIssue(caller, project, issue)) throw forbidden();
      }),
    )
    .require(() => {}, 'project:update_issue, own issues: update_own_issue');

/** Members with this ability; `404 Issue Not Found` where the words of the reference are so. */
export const managingIssue = (ability: ProjectAbilityName, missing: () => unknown = nestedNotFound) =>
  inProject('read_project')
    .resource(
      anyIssue(missing, ({ caller }, { project }) => {
        if (!mayInProject(caller, ability, project)) throw forbidden();
      }),
    )
    .require(() => {}, `project:${ability}`);

interface Target {
  /** Null: the caller sees none. */
  readonly to: Project | null;
}

/** The project of `to_project_id`, which an issue shall be moved to: nothing is written into an archived one. */
export const moveTarget = {
  name: 'target',
  params: { to_project_id: required(integer) },
  async load({ db, caller, params }: AccessCall<{ readonly to_project_id: number }>): Promise<Target> {
    const to = await findProject(db, caller, String(params.to_project_id));
    return { to: to !== null && canSeeProject(caller, to) ? to : null };
  },
  notFound: nestedNotFound,
  authorize(_call: AccessCall, { target }: { readonly target: Target }) {
    if (target.to?.archived) throw forbidden();
  },
} as const;

export const issueNotFound = () => notFound('Issue');
