import { findIssue, findIssues, type Issue, mayReadIssue } from '#authorization/issues.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { genericNotFound, notFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { readableIssueResource } from '../issues/index.ts';
import {
  findLinkOfIssue,
  getOtherIssueId,
  type IssueLinkRow,
  type LinkedIssueWithProject,
} from '../link-rows/index.ts';

// Access to issue links (contract/planning.md §3.14).

/** Access for signed-in callers who may read the issue in the path. */
export const linkedIssueAccess = () => inProject('read_project').resource(readableIssueResource);

/** Resource: the target issue in the body, if the caller may read it. A blank or null project means the project of the path. */
const targetIssueResource = {
  name: 'target',
  params: {
    target_project_id: describe(required(pathText), 'ID or full path of the project of the other issue.'),
    target_issue_iid: describe(required(integer), 'The `iid` of the other issue.'),
  },
  async load(
    { db, caller, params }: AccessCall<TargetIssueParams>,
    parent: { readonly project: Project },
  ): Promise<LinkedIssueWithProject | null> {
    const { target_project_id: projectRef } = params;
    const project = projectRef === '' ? parent.project : await findProject(db, caller, projectRef);
    if (project === null || !canSeeProject(caller, project)) throw notFound('Project');
    const issue = await findIssue(db, caller, project.id, params.target_issue_iid);
    return issue !== null && mayReadIssue(caller, project, issue) ? { issue, project } : null;
  },
  notFound: genericNotFound,
} as const;

interface TargetIssueParams {
  readonly target_project_id: string;
  readonly target_issue_iid: number;
}

/** The ability that the list of endpoints shows. The units of work check it. */
const PERMISSION_LABEL = 'project:relate_issue (in both)';

/** Access for readers of both issues; `createLink` checks the permission to link them. */
export const createLinkAccess = () => linkedIssueAccess().resource(targetIssueResource).withLabel(PERMISSION_LABEL);

interface LinkWithOtherIssue {
  readonly link: IssueLinkRow;
  /** The issue at the other end. */
  readonly other: LinkedIssueWithProject;
}

/** Resource: the link `:issue_link_id` of the issue in the path. */
const linkResource = {
  name: 'linkWithOtherIssue',
  params: { issue_link_id: required(integer) },
  async load(
    { db, caller, params }: AccessCall<{ readonly issue_link_id: number }>,
    { issue }: { readonly issue: Issue },
  ): Promise<LinkWithOtherIssue | null> {
    const link = await findLinkOfIssue(db, issue.id, params.issue_link_id);
    const [other] = link === null ? [] : await findIssues(db, caller, [getOtherIssueId(link, issue.id)]);
    const project = other && (await findProject(db, caller, String(other.project_id)));
    return link && other && project ? { link, other: { issue: other, project } } : null;
  },
  notFound: genericNotFound,
} as const;

/** Access for readers of both issues. */
export const readLinkAccess = () =>
  linkedIssueAccess()
    .resource(linkResource)
    .require(({ caller }, { linkWithOtherIssue: { other } }) => {
      if (!canSeeProject(caller, other.project)) throw notFound('Project');
      if (!mayReadIssue(caller, other.project, other.issue)) throw genericNotFound();
    });

/** Access for readers of the issue in the path; `deleteLink` checks the permission to unlink them. */
export const deleteLinkAccess = () => linkedIssueAccess().resource(linkResource).withLabel(PERMISSION_LABEL);
