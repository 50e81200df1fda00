import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssue, type Issue, issueReadersAmong } from '#authorization/issues.ts';
import type { IssueState, IssueType } from '#database/tables/issues.ts';
import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fieldErrors, invalid } from '#runtime/failure.ts';
import { joinEpic } from '../epics/index.ts';
import { type Past, titleErrors, wishedAssignees, wishedLabels } from '../issuables/index.ts';
import { findMilestoneTitled } from '../milestones/index.ts';
import { epicForImported } from './epic.ts';
import { addIssue } from './insert.ts';
import { NO_METADATA, weightErrors } from './metadata.ts';

/** An issue as another server tells of it, with people and epic of this one. */
export interface ImportedIssue {
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
  /** By their titles. */
  readonly labels: readonly string[];
  readonly milestone: string | null;
  readonly epic_id: number | null;
  readonly past: Past<IssueState>;
}

/**
 * An issue of another server, with the number that it has there; nobody hears of it (contract/operations.md §1.4). What it has
 * is of this project as if it had been filed here: milestone and epic in reach, assignees who can see it.
 */
export async function importIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  imported: ImportedIssue,
): Promise<Issue | Failure<'invalid'>> {
  const { labels, milestone, assignees, epic_id, weight, ...issue } = imported;
  const errors = fieldErrors({ title: titleErrors(issue.title), weight: weightErrors(uow, { weight }) });
  if (errors) return invalid(errors);
  if ((await findIssue(uow, uow.actor, project.id, issue.iid)) !== null) return IID_TAKEN;
  await reserveIid(uow, { projectId: project.id }, 'issue', issue.iid);
  const titled = milestone === null ? null : await findMilestoneTitled(uow, await reachOf(uow, { project }), milestone);
  const epic = epic_id === null ? null : await epicForImported(uow, project, issue, epic_id);
  const made = await addIssue(uow, project, {
    ...NO_METADATA,
    ...issue,
    weight: uow.tier === 'free' ? null : weight,
    milestone_id: titled?.id ?? null,
    labels: await wishedLabels(uow, { project }, [], { labels }),
    assignees: await wishedAssignees(uow, [], assignees, (ids) => issueReadersAmong(uow, project, issue, ids)),
    madeAt: issue.past.created_at,
  });
  if (epic !== null) await joinEpic(uow, epic.id, made.id);
  return made;
}
