import type { SignedInCaller } from '#authentication/caller.ts';
import { filterIssueReaders, findIssue, type Issue } from '#authorization/issues.ts';
import type { IssueState, IssueType } from '#database/schema.ts';
import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';
import { upsertEpicIssueAssociation } from '../epics/index.ts';
import { type ImportedState, resolveAssignees, resolveLabels, validateTitle } from '../issuables/index.ts';
import { findMilestoneByTitle } from '../milestones/index.ts';
import { findEpicForImport } from './epic.ts';
import { insertIssueWithRelations } from './insert.ts';
import { NO_METADATA, validateWeight } from './metadata.ts';

/** An issue exported from another server. User ids and the epic id are those of this server. */
export interface IssueImport {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly author_id: number;
  readonly assignees: readonly number[];
  readonly issue_type: IssueType;
  readonly confidential: boolean;
  readonly discussion_locked: boolean | null;
  readonly due_date: string | null;
  readonly weight: number | null;
  /** Titles of labels. */
  readonly labels: readonly string[];
  /** Title of the milestone. */
  readonly milestone: string | null;
  readonly epic_id: number | null;
  readonly importedState: ImportedState<IssueState>;
}

/**
 * Imports an issue with its original iid, without notifications (contract/operations.md §1.4). Milestone and epic
 * must be in scope, and assignees must be able to read the issue; other ones are dropped.
 */
export async function importIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  imported: IssueImport,
): Promise<Issue | Failure<'invalid'>> {
  const { labels, milestone, assignees, epic_id, weight, ...issue } = imported;
  const errors = compactFieldErrors({ title: validateTitle(issue.title), weight: validateWeight(uow, { weight }) });
  if (errors) return invalid(errors);
  if ((await findIssue(uow, uow.actor, project.id, issue.iid)) !== null) return IID_TAKEN;
  await reserveIid(uow, { projectId: project.id }, 'issue', issue.iid);
  const milestoneRow =
    milestone === null ? null : await findMilestoneByTitle(uow, await ancestorsAndSelf(uow, { project }), milestone);
  const epic = epic_id === null ? null : await findEpicForImport(uow, project, issue, epic_id);
  const issueRow = await insertIssueWithRelations(uow, project, {
    ...NO_METADATA,
    ...issue,
    weight: uow.tier === 'free' ? null : weight,
    milestone_id: milestoneRow?.id ?? null,
    labels: await resolveLabels(uow, { project }, [], { labels }),
    assignees: await resolveAssignees(uow, [], assignees, (ids) => filterIssueReaders(uow, project, issue, ids)),
    createdAt: issue.importedState.created_at,
  });
  if (epic !== null) await upsertEpicIssueAssociation(uow, epic.id, issueRow.id);
  return issueRow;
}
