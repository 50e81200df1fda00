import { copyNotes, MOST_NOTES, movedFrom, movedTo } from '#activity/index.ts';
import { handOnEpic } from '#api/planning/epics/index.ts';
import {
  assign,
  assigneesOf,
  fullReference,
  ISSUES,
  label,
  labelsKnown,
  labelsOn,
  milestoneLike,
  newTexts,
  recordNewThing,
  recordState,
} from '#api/planning/issuables/index.ts';
import { iterationInReach } from '#api/planning/iterations/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssue, findIssues, type Issue, issueReadersAmong } from '#authorization/issues.ts';
import { nextIid } from '#domain/iids.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordWeight, resourceOf } from '../activity.ts';
import { handOnLinks, insertIssue, placeAtEnd, updateIssueRow } from '../store.ts';

type Unmoved = 'issueGone' | 'projectGone' | 'forbidden';

/**
 * Files the issue anew in another project, by the same author and with its notes and links, and closes the old one. Of labels,
 * milestone, iteration and assignees those go along that there are in the other project.
 */
export async function moveIssue(
  uow: UnitOfWork<SignedInCaller>,
  from: Project,
  iid: number,
  toProjectId: number,
): Promise<Issue | Failure<Unmoved>> {
  const issue = await findIssue(uow, uow.actor, from.id, iid);
  if (issue === null) return fail('issueGone');
  const to = await findProject(uow, uow.actor, String(toProjectId));
  if (to === null || !canSeeProject(uow.actor, to)) return fail('projectGone');
  if (![from, to].every((project) => mayInProject(uow.actor, 'update_issue', project))) return fail('forbidden');
  if (to.id === from.id) return issue;
  if (issue.moved_to_id !== null) return fail('forbidden');
  const made = await filedAnew(uow, issue, to);
  await uow.record({
    noteOn: resourceOf(made),
    text: movedFrom(fullReference({ ...resourceOf(issue), iid, project: from })),
    mentioning: resourceOf(issue),
  });
  await handOnEpic(uow, issue.id, made.id);
  await handOnLinks(uow, issue.id, made.id);
  await putAside(uow, issue, made, to);
  return made;
}

async function filedAnew(uow: UnitOfWork<SignedInCaller>, issue: Issue, to: Project): Promise<Issue> {
  const { id: _id, assigned: _assigned, closing: _closing, blocking: _blocking, ...columns } = issue;
  const id = await insertIssue(uow, {
    ...columns,
    project_id: to.id,
    iid: await nextIid(uow, { projectId: to.id }, 'issue'),
    ...newTexts(issue),
    state: 'opened',
    closed_at: null,
    closed_by_id: null,
    // Who liked the old one did so there.
    upvotes: 0,
    downvotes: 0,
    milestone_id: issue.milestone_id === null ? null : await milestoneLike(uow, to, issue.milestone_id),
    iteration_id: issue.iteration_id === null ? null : await iterationInReach(uow, to, issue.iteration_id),
    relative_position: await placeAtEnd(uow, to.id),
    created_at: uow.now,
    updated_at: uow.now,
  });
  const titles = (await labelsOn(uow, ISSUES, [issue.id])).map(({ title }) => title);
  await label(uow, ISSUES, id, { before: [], now: await labelsKnown(uow, to, titles) });
  const assigned = (await assigneesOf(uow, ISSUES, [issue.id])).map(({ user_id }) => user_id);
  await assign(uow, ISSUES, id, { before: [], now: await issueReadersAmong(uow, to, issue, assigned) });
  await copyNotes(uow, resourceOf(issue), resourceOf({ id }), MOST_NOTES);
  const [made] = (await findIssues(uow, uow.actor, [id])) as [Issue];
  await recordNewThing(uow, 'Issue', made);
  await recordWeight(uow, null, made);
  return made;
}

async function putAside(uow: UnitOfWork<SignedInCaller>, issue: Issue, made: Issue, to: Project): Promise<void> {
  await uow.record({
    noteOn: resourceOf(issue),
    text: movedTo(fullReference({ ...resourceOf(made), iid: made.iid, project: to })),
    mentioning: resourceOf(made),
  });
  const closed = { state: 'closed', closed_at: uow.now, closed_by_id: uow.actor.user.id } as const;
  const isOpen = issue.state === 'opened';
  await updateIssueRow(uow, issue.id, { ...(isOpen ? closed : {}), moved_to_id: made.id, updated_at: uow.now });
  if (isOpen) await recordState(uow, 'Issue', { ...issue, ...closed });
}
