import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssue, findIssues, type Issue, mayReadIssue } from '#authorization/issues.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { nestedNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { readableIssue } from '../issues/index.ts';
import { findLinkOf, type IssueLinkRow, otherEnd } from './store.ts';

/** Which issues a caller links, and which links he sees (contract/planning.md §3.14). */

/** An issue in its project, as the caller sees both. */
export interface End {
  readonly issue: Issue;
  readonly project: Project;
}

/** Signed-in callers who may read the issue in the path. */
export const linkedIssue = () => inProject('read_project').resource(readableIssue);

/** The issue that the body names, for who may read it; a project given as null, which is a blank text, is that of the path. */
const target = {
  name: 'target',
  params: { target_project_id: required(pathText), target_issue_iid: required(integer) },
  async load({ db, caller, params }: AccessCall<Named>, here: { readonly project: Project }): Promise<End | null> {
    const { target_project_id: named } = params;
    const project = named === '' ? here.project : await findProject(db, caller, named);
    if (project === null || !canSeeProject(caller, project)) throw notFound('Project');
    const issue = await findIssue(db, caller, project.id, params.target_issue_iid);
    return issue !== null && mayReadIssue(caller, project, issue) ? { issue, project } : null;
  },
  notFound: nestedNotFound,
} as const;

interface Named {
  readonly target_project_id: string;
  readonly target_issue_iid: number;
}

const LABEL = 'project:relate_issue (in both)';

/** Who reads both; the right to relate them is asked for later. */
export const linking = () =>
  linkedIssue()
    .resource(target)
    .require(() => {}, LABEL);

interface Link {
  readonly link: IssueLinkRow;
  /** At its other end. */
  readonly other: End;
}

/** What `:issue_link_id` names: a link of the issue in the path. */
const linkOfIssue = {
  name: 'found',
  params: { issue_link_id: required(integer) },
  async load(
    { db, caller, params }: AccessCall<{ readonly issue_link_id: number }>,
    { issue }: { readonly issue: Issue },
  ): Promise<Link | null> {
    const link = await findLinkOf(db, issue.id, params.issue_link_id);
    const [other] = link === null ? [] : await findIssues(db, caller, [otherEnd(link, issue.id)]);
    const project = other && (await findProject(db, caller, String(other.project_id)));
    return link && other && project ? { link, other: { issue: other, project } } : null;
  },
  notFound: nestedNotFound,
} as const;

/** Who reads both ends. */
export const readingLink = () =>
  linkedIssue()
    .resource(linkOfIssue)
    .require(({ caller }, { found: { other } }) => {
      if (!canSeeProject(caller, other.project)) throw notFound('Project');
      if (!mayReadIssue(caller, other.project, other.issue)) throw nestedNotFound();
    });

/** Who reads one end; whether he may relate both is asked for later. */
export const endingLink = () =>
  linkedIssue()
    .resource(linkOfIssue)
    .require(() => {}, LABEL);

/** May the caller relate the issue to others? */
export function mayRelate(caller: Caller, { issue, project }: End): boolean {
  return (
    canSeeProject(caller, project) &&
    mayReadIssue(caller, project, issue) &&
    mayInProject(caller, 'relate_issue', project)
  );
}
