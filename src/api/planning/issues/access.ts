import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import { findIssue, type Issue, mayReadIssue, mayUpdateIssue } from '#authorization/issues.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { forbidden, nestedNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Resource: the issue `:issue_iid`. Answers 404 to callers who may not read it. */
export const readableIssueResource = {
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

/** Access for callers who may read the issue, anonymous ones included. */
export const readableIssueAccess = () => inProjectAllowingAnonymous('read_project').resource(readableIssueResource);

interface InProject {
  readonly project: Project;
}

/** Resource: the issue `:issue_iid`, without a check that the caller may read it; `authorizeIssue` must deny everything else. */
export const issueResource = (
  notFoundError: () => unknown,
  authorizeIssue: (call: AccessCall, context: InProject & { issue: Issue }) => void,
) =>
  ({
    name: 'issue',
    params: { issue_iid: required(integer) },
    load: ({ db, caller, params }: AccessCall<{ readonly issue_iid: number }>, { project }: InProject) =>
      findIssue(db, caller, project.id, params.issue_iid),
    notFound: notFoundError,
    authorize: authorizeIssue,
  }) as const;

/** Access to update texts and state: members with at least the Planner role, the author and the assignees. */
export const updatableIssueAccess = () =>
  inProject('read_project')
    .resource(
      issueResource(nestedNotFound, ({ caller }, { project, issue }) => {
        if (!mayUpdateIssue(caller, project, issue)) throw forbidden();
      }),
    )
    .require(() => {}, 'project:update_issue, own issues: update_own_issue');

/** Access for members with this ability. `missing` is the error for an unknown issue; some endpoints answer `404 Issue Not Found`. */
export const issueWithAbility = (ability: ProjectAbilityName, notFoundError: () => unknown = nestedNotFound) =>
  inProject('read_project')
    .resource(
      issueResource(notFoundError, ({ caller }, { project }) => {
        if (!mayInProject(caller, ability, project)) throw forbidden();
      }),
    )
    .require(() => {}, `project:${ability}`);

interface MoveTarget {
  /** Null if the caller cannot see the project. */
  readonly to: Project | null;
}

/** Resource: the project `to_project_id`, to which an issue is moved. Archived projects are forbidden. */
export const moveTarget = {
  name: 'target',
  params: { to_project_id: required(integer) },
  async load({ db, caller, params }: AccessCall<{ readonly to_project_id: number }>): Promise<MoveTarget> {
    const to = await findProject(db, caller, String(params.to_project_id));
    return { to: to !== null && canSeeProject(caller, to) ? to : null };
  },
  notFound: nestedNotFound,
  authorize(_call: AccessCall, { target }: { readonly target: MoveTarget }) {
    if (target.to?.archived) throw forbidden();
  },
} as const;

export const issueNotFound = () => notFound('Issue');
