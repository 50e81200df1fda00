import type { Caller } from '#authentication/caller.ts';
import type { Epic } from '#authorization/epics.ts';
import { findIssues, type Issue, mayReadIssue } from '#authorization/issues.ts';
import type { Reader } from '#database/database.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type EpicIssueAssociation, epicAccessWithAbility, findEpicIssueAssociation } from '../epics/index.ts';

// Access to add issues to epics and remove them (contract/planning.md §2.1).

/** An issue with its project, loaded for the caller. */
export interface IssueWithProject {
  readonly issue: Issue;
  readonly project: Project;
}

/** Returns the issue with its project, or null if one of them does not exist for the caller. */
async function findIssueWithProject(db: Reader, caller: Caller, issueId: number): Promise<IssueWithProject | null> {
  const [issue] = await findIssues(db, caller, [issueId]);
  const project = issue && (await findProject(db, caller, String(issue.project_id)));
  return issue && project ? { issue, project } : null;
}

/** Throws 403 if the caller may not read the issue, or if its project is archived. */
function requireReadableAndUnarchived({ caller }: AccessCall, { issue, project }: IssueWithProject): void {
  const mayRead = canSeeProject(caller, project) && mayReadIssue(caller, project, issue);
  if (!mayRead || project.archived) throw forbidden();
}

/** Resource: the issue with the id `:issue_id` in any project. */
const issueResource = {
  name: 'child',
  params: { issue_id: describe(required(integer), 'Global ID of the issue, not its `iid`.') },
  load: ({ db, caller, params }: AccessCall<{ readonly issue_id: number }>) =>
    findIssueWithProject(db, caller, params.issue_id),
  notFound: genericNotFound,
  authorize: (call: AccessCall, { child }: { readonly child: IssueWithProject }) =>
    requireReadableAndUnarchived(call, child),
} as const;

/** An issue of the epic, with its association. */
interface AssociatedIssue {
  readonly association: EpicIssueAssociation;
  readonly child: IssueWithProject;
}

/** Resource: the association `:epic_issue_id` of the epic, with its issue. */
const associatedIssueResource = {
  name: 'associatedIssue',
  params: { epic_issue_id: describe(required(integer), 'ID of the association, not of the issue.') },
  async load(
    { db, caller, params }: AccessCall<{ readonly epic_issue_id: number }>,
    { epic }: { readonly epic: Epic },
  ): Promise<AssociatedIssue | null> {
    const association = await findEpicIssueAssociation(db, epic.id, params.epic_issue_id);
    const child = association && (await findIssueWithProject(db, caller, association.issue_id));
    return association && child ? { association, child } : null;
  },
  notFound: genericNotFound,
  authorize: (call: AccessCall, { associatedIssue }: { readonly associatedIssue: AssociatedIssue }) =>
    requireReadableAndUnarchived(call, associatedIssue.child),
} as const;

/** The abilities that the list of endpoints shows. The units of work check `relate_issue`. */
const REQUIRED_ABILITIES = 'group:relate_epic, project:relate_issue';

/** Access to add an issue: for readers of the epic who are members of the issue's project. */
export const addEpicIssueAccess = () =>
  epicAccessWithAbility('relate_epic').resource(issueResource).withLabel(REQUIRED_ABILITIES);

/** Access to reorder or remove an issue of the epic, for the same callers. */
export const updateEpicIssueAccess = () =>
  epicAccessWithAbility('relate_epic').resource(associatedIssueResource).withLabel(REQUIRED_ABILITIES);
