import { mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { findIssue, findIssues, type Issue, mayReadIssue, mayUpdateIssue } from '#authorization/issues.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { type IssuableKind, type ProjectIssuable, toProjectIssuable } from '#http/access/noteables.ts';
import { inProject, inProjectAllowingAnonymous, inVisibleProject } from '#http/access/project-access.ts';
import { forbidden, genericNotFound, notFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Resource: the issue `:issue_iid`; 404 if the caller may not read it. */
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
  notFound: genericNotFound,
} as const;

/** Access for callers who may read the issue, anonymous ones included. */
export const readIssueAccess = () => inProjectAllowingAnonymous('read_project').resource(readableIssueResource);

interface InProject {
  readonly project: Project;
}

/**
 * Resource: the issue `:issue_iid`, without a check that the caller may read it: `authorizeIssue` must throw if they may not use it.
 * `createNotFoundError` creates the error for an unknown issue.
 */
const issueResource = (
  createNotFoundError: () => unknown,
  authorizeIssue: (call: AccessCall, context: InProject & { issue: Issue }) => void,
) =>
  ({
    name: 'issue',
    params: { issue_iid: required(integer) },
    load: ({ db, caller, params }: AccessCall<{ readonly issue_iid: number }>, { project }: InProject) =>
      findIssue(db, caller, project.id, params.issue_iid),
    notFound: createNotFoundError,
    authorize: authorizeIssue,
  }) as const;

/** Access to update texts and state: members with at least the Planner role, the author and the assignees. */
export const updateIssueAccess = () =>
  inProject('read_project')
    .resource(
      issueResource(genericNotFound, ({ caller }, { project, issue }) => {
        if (!mayUpdateIssue(caller, project, issue)) throw forbidden();
      }),
    )
    .withLabel('project:update_issue, own issues: update_own_issue');

/** Access for callers with this ability. `createNotFoundError` creates the error for an unknown issue. */
export const issueAccessWithAbility = (
  ability: ProjectAbilityName,
  createNotFoundError: () => unknown = genericNotFound,
) =>
  inProject('read_project')
    .resource(
      issueResource(createNotFoundError, ({ caller }, { project }) => {
        if (!mayInProject(caller, ability, project)) throw forbidden();
      }),
    )
    .withLabel(`project:${ability}`);

interface MoveTarget {
  /** The target project; null if the caller cannot see it. */
  readonly project: Project | null;
}

/** Resource: the project `to_project_id`, to which an issue is moved; 403 if it is archived. */
export const moveTargetResource = {
  name: 'target',
  params: { to_project_id: describe(required(integer), 'ID of the target project.') },
  async load({ db, caller, params }: AccessCall<{ readonly to_project_id: number }>): Promise<MoveTarget> {
    const project = await findProject(db, caller, String(params.to_project_id));
    return { project: project !== null && canSeeProject(caller, project) ? project : null };
  },
  notFound: genericNotFound,
  authorize(_call: AccessCall, { target }: { readonly target: MoveTarget }) {
    if (target.project?.archived) throw forbidden();
  },
} as const;

/** Returns the error `404 Issue Not Found`, which some endpoints use for an unknown issue. */
export const issueNotFound = () => notFound('Issue');

/** Issues as noteables. */
export const issueNoteable: IssuableKind<ProjectIssuable> = {
  type: 'Issue',
  nounWithArticle: 'an issue',
  path: '/projects/:id/issues/:issue_iid',
  parentType: 'project',
  readAccess: () =>
    inProject('read_project')
      .resource(readableIssueResource)
      .map(({ project, issue, caller }) => ({ noteable: toProjectIssuable('Issue', project, issue), caller })),
  iidPath: '/projects/:id/issues/:issue_iid',
  accessByIid: (audience, createUnreadableError) =>
    inVisibleProject(audience)
      .resource(
        issueResource(genericNotFound, ({ caller }, { project, issue }) => {
          if (!mayReadIssue(caller, project, issue)) throw createUnreadableError();
        }),
      )
      .map(({ project, issue, caller }) => ({ noteable: toProjectIssuable('Issue', project, issue), caller })),
  async reload(tx, previousCaller, { id, project: { id: projectId } }) {
    const { caller, project } = await reloadAccess(tx, previousCaller, projectId);
    const [issue] = await findIssues(tx, caller, [id]);
    if (issue === undefined || !mayReadIssue(caller, project, issue)) throw new AccessRevoked();
    return { noteable: toProjectIssuable('Issue', project, issue), caller };
  },
};
