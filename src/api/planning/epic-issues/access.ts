import type { Caller } from '#authentication/caller.ts';
import type { Epic } from '#authorization/epics.ts';
import { findIssues, type Issue, mayReadIssue } from '#authorization/issues.ts';
import type { Reader } from '#database/database.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type Association, findAssociation, usingEpic } from '../epics/index.ts';

/** Which issues a caller puts into epics and takes out of them (contract/planning.md §2.1). */

/** An issue in its project, as the caller sees both. */
export interface Child {
  readonly issue: Issue;
  readonly project: Project;
}

async function childOf(db: Reader, caller: Caller, issueId: number): Promise<Child | null> {
  const [issue] = await findIssues(db, caller, [issueId]);
  const project = issue && (await findProject(db, caller, String(issue.project_id)));
  return issue && project ? { issue, project } : null;
}

/** Who may not read the issue may nothing with it, nor anybody while its project is archived. */
function requireReadable({ caller }: AccessCall, { issue, project }: Child): void {
  const reads = canSeeProject(caller, project) && mayReadIssue(caller, project, issue);
  if (!reads || project.archived) throw forbidden();
}

/** The issue of the id `:issue_id`, wherever it is. */
const anyIssue = {
  name: 'child',
  params: { issue_id: required(integer) },
  load: ({ db, caller, params }: AccessCall<{ readonly issue_id: number }>) => childOf(db, caller, params.issue_id),
  notFound: nestedNotFound,
  authorize: (call: AccessCall, { child }: { readonly child: Child }) => requireReadable(call, child),
} as const;

interface Related {
  readonly association: Association;
  readonly child: Child;
}

/** What `:epic_issue_id` names: an issue in this epic. */
const relatedIssue = {
  name: 'related',
  params: { epic_issue_id: required(integer) },
  async load(
    { db, caller, params }: AccessCall<{ readonly epic_issue_id: number }>,
    { epic }: { readonly epic: Epic },
  ): Promise<Related | null> {
    const association = await findAssociation(db, epic.id, params.epic_issue_id);
    const child = association && (await childOf(db, caller, association.issue_id));
    return association && child ? { association, child } : null;
  },
  notFound: nestedNotFound,
  authorize: (call: AccessCall, { related }: { readonly related: Related }) => requireReadable(call, related.child),
} as const;

const LABEL = 'group:relate_epic, project:relate_issue';

/** Who sees the epic puts an issue of a project that he is a member of into it. */
export const addingIssue = () =>
  usingEpic('relate_epic')
    .resource(anyIssue)
    .require(() => {}, LABEL);

/** The same of one that is in it. */
export const changingIssue = () =>
  usingEpic('relate_epic')
    .resource(relatedIssue)
    .require(() => {}, LABEL);
