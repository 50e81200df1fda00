import { copyNotes, MAX_NOTES_PER_NOTEABLE, movedFromText, movedToText } from '#activity/index.ts';
import { moveEpicAssociation } from '#api/planning/epics/index.ts';
import {
  buildFullReference,
  buildTextColumns,
  findLabelIds,
  findMilestoneIdWithSameTitle,
  ISSUES,
  loadAssignees,
  loadLabels,
  type ReorderInput,
  recordIssuableCreated,
  recordStateChange,
  reorderInList,
  updateAssignees,
  updateLabels,
} from '#api/planning/issuables/index.ts';
import { findIterationIdForProject } from '#api/planning/iterations/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { filterIssueReaders, findIssue, findIssues, type Issue } from '#authorization/issues.ts';
import { allocateIid } from '#domain/iids.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordWeightChange, toResource } from '../activity.ts';
import { insertIssue, moveLinks, nextRelativePosition, requireIssue, toIssueList, updateIssueRow } from '../store.ts';

/**
 * Moves an issue after or before another issue in the manual order of the project. Fails with `invalidNeighbor` if the other issue
 * is the same one or not in the project.
 */
export async function reorderIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Pick<Issue, 'id'>,
  input: ReorderInput,
): Promise<Issue | Failure<'invalidNeighbor' | 'notFound'>> {
  const [issue] = await findIssues(uow, uow.actor, [id]);
  if (issue === undefined) return fail('notFound');
  if (!(await reorderInList(uow, toIssueList(issue.project_id), id, input))) return fail('invalidNeighbor');
  return requireIssue(uow, id);
}

type MoveIssueFailure = 'issueNotFound' | 'projectNotFound' | 'forbidden';

/**
 * Moves an issue to another project: copies it with its author, notes and links, and closes the original. Labels, milestone and
 * iteration are copied if they exist in the target project, and assignees if they may read the copy. Returns the copy.
 */
export async function moveIssue(
  uow: UnitOfWork<SignedInCaller>,
  sourceProject: Project,
  iid: number,
  targetProjectId: number,
): Promise<Issue | Failure<MoveIssueFailure>> {
  const issue = await findIssue(uow, uow.actor, sourceProject.id, iid);
  if (issue === null) return fail('issueNotFound');
  const targetProject = await findProject(uow, uow.actor, String(targetProjectId));
  if (targetProject === null || !canSeeProject(uow.actor, targetProject)) return fail('projectNotFound');
  if (![sourceProject, targetProject].every((project) => mayInProject(uow.actor, 'update_issue', project)))
    return fail('forbidden');
  if (targetProject.id === sourceProject.id) return issue;
  if (issue.moved_to_id !== null) return fail('forbidden');
  const copy = await createCopy(uow, issue, targetProject);
  await uow.record({
    noteOn: toResource(copy),
    text: movedFromText(buildFullReference({ ...toResource(issue), iid, project: sourceProject })),
    mentionedResource: toResource(issue),
  });
  await moveEpicAssociation(uow, issue.id, copy.id);
  await moveLinks(uow, issue.id, copy.id);
  await closeOriginal(uow, issue, copy, targetProject);
  return copy;
}

async function createCopy(uow: UnitOfWork<SignedInCaller>, issue: Issue, targetProject: Project): Promise<Issue> {
  // All columns without those that `findIssue` computes.
  const { id: _id, assigned: _assigned, closing: _closing, blocking: _blocking, ...columns } = issue;
  const id = await insertIssue(uow, {
    ...columns,
    project_id: targetProject.id,
    iid: await allocateIid(uow, { projectId: targetProject.id }, 'issue'),
    ...buildTextColumns(issue),
    state: 'opened',
    closed_at: null,
    closed_by_id: null,
    duplicated_to_id: null,
    // Award emoji stay on the original.
    upvotes: 0,
    downvotes: 0,
    milestone_id:
      issue.milestone_id === null ? null : await findMilestoneIdWithSameTitle(uow, targetProject, issue.milestone_id),
    iteration_id:
      issue.iteration_id === null ? null : await findIterationIdForProject(uow, targetProject, issue.iteration_id),
    relative_position: await nextRelativePosition(uow, targetProject.id),
    created_at: uow.now,
    updated_at: uow.now,
  });
  const titles = (await loadLabels(uow, ISSUES, [issue.id])).map(({ title }) => title);
  await updateLabels(uow, ISSUES, id, { before: [], after: await findLabelIds(uow, targetProject, titles) });
  const assigneeIds = (await loadAssignees(uow, ISSUES, [issue.id])).map(({ user_id }) => user_id);
  await updateAssignees(uow, ISSUES, id, {
    before: [],
    after: await filterIssueReaders(uow, targetProject, issue, assigneeIds),
  });
  await copyNotes(uow, toResource(issue), toResource({ id }), MAX_NOTES_PER_NOTEABLE);
  const copy = await requireIssue(uow, id);
  await recordIssuableCreated(uow, 'Issue', copy);
  await recordWeightChange(uow, null, copy);
  return copy;
}

async function closeOriginal(
  uow: UnitOfWork<SignedInCaller>,
  issue: Issue,
  copy: Issue,
  targetProject: Project,
): Promise<void> {
  await uow.record({
    noteOn: toResource(issue),
    text: movedToText(buildFullReference({ ...toResource(copy), iid: copy.iid, project: targetProject })),
    mentionedResource: toResource(copy),
  });
  const closedColumns = { state: 'closed', closed_at: uow.now, closed_by_id: uow.actor.user.id } as const;
  const isOpen = issue.state === 'opened';
  await updateIssueRow(uow, issue.id, { ...(isOpen ? closedColumns : {}), moved_to_id: copy.id, updated_at: uow.now });
  if (isOpen) await recordStateChange(uow, 'Issue', { ...issue, ...closedColumns });
}
