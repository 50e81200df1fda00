import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssue, type Issue } from '#authorization/issues.ts';
import { OWNER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import {
  derivedTextColumns,
  ISSUES,
  isSameSet,
  loadAssignees,
  loadLabels,
  pickChangedColumns,
  publishIssuableChanges,
  publishTextChanges,
  recordIssuableChanges,
  stateColumnsAfter,
  updateAssignees,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import { applyDescriptionCommands, runAfterUpdate } from '../quick-actions/index.ts';
import { listIssueNoteTexts, recordWeightChange, toResource } from './activity.ts';
import { resolveEpic, updateEpicAssociation, validatePublicIssue } from './epic.ts';
import { resolveIssueMetadata, validateWeight } from './metadata.ts';
import type { updateIssueParams } from './parameters.ts';
import { loadIssueSubject } from './quick-actions/subject.ts';
import { requireIssue, updateIssueRow } from './store.ts';

type UpdateIssueInput = Partial<ParameterValues<typeof updateIssueParams>>;

/**
 * Updates an issue and runs the quick actions in its description. Author and assignees can change texts and state, members with at
 * least the Planner role also the metadata, Owners also the timestamps. Parameters that the caller may not set are ignored.
 */
export async function updateIssueWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  iid: number,
  params: UpdateIssueInput,
): Promise<Issue | Failure<UpdateIssueFailure>> {
  const issue = await findIssue(uow, uow.actor, project.id, iid);
  if (issue === null) return fail('notFound');
  const { input, afterUpdate } = await applyDescriptionCommands(uow, params, () =>
    loadIssueSubject(uow, project, issue),
  );
  const updatedIssue = await applyUpdate(uow, project, issue, input);
  if (isFailure(updatedIssue)) return updatedIssue;
  return runAfterUpdate(updatedIssue, afterUpdate, (id) => requireIssue(uow, id));
}

type UpdateIssueFailure = 'invalid' | 'epicNotFound' | 'epicUnreadable' | 'archived' | 'notFound';

async function applyUpdate(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  issue: Issue,
  input: UpdateIssueInput,
): Promise<Issue | Failure<UpdateIssueFailure>> {
  const { iid } = issue;
  const maySetMetadata = mayInProject(uow.actor, 'update_issue', project);
  const metadataInput: Partial<UpdateIssueInput> = maySetMetadata ? input : {};
  const confidential = metadataInput.confidential ?? issue.confidential;
  const epic = await resolveEpic(uow, project, metadataInput);
  if (isFailure(epic)) return epic;
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    weight: validateWeight(uow, metadataInput),
    issue: confidential ? [] : await validatePublicIssue(uow, issue, epic),
  });
  if (errors) return invalid(errors);
  const currentLabels = await loadLabels(uow, ISSUES, [issue.id]);
  const currentAssignees = await loadAssignees(uow, ISSUES, [issue.id]);
  const before = { ...issue, labels: currentLabels, assignees: currentAssignees.map(({ user_id }) => user_id) };
  const { labels, assignees, ...metadata } = await resolveIssueMetadata(
    uow,
    project,
    { ...issue, confidential },
    before,
    metadataInput,
  );
  const columns = pickChangedColumns<Issue>(issue, {
    title: input.title ?? issue.title,
    description: input.description === undefined ? issue.description : input.description,
    issue_type: input.issue_type ?? issue.issue_type,
    confidential,
    ...metadata,
    ...stateColumnsAfter(issue.state, input.state_event, uow),
    ...(issue.state === 'closed' && input.state_event === 'reopen' ? { duplicated_to_id: null } : {}),
    ...(getProjectRole(uow.actor, project) >= OWNER ? { created_at: input.created_at ?? issue.created_at } : {}),
  });
  const labelIds = currentLabels.map(({ id }) => id);
  await updateLabels(uow, ISSUES, issue.id, { before: labelIds, after: labels });
  await updateAssignees(uow, ISSUES, issue.id, { before: before.assignees, after: assignees });
  const isEpicChanged = await updateEpicAssociation(uow, { issue, project }, epic);
  if (isFailure(isEpicChanged)) return isEpicChanged;
  const isChanged =
    isEpicChanged ||
    Object.keys(columns).length > 0 ||
    !isSameSet(labelIds, labels) ||
    !isSameSet(before.assignees, assignees);
  const updatedAt = getProjectRole(uow.actor, project) >= OWNER ? input.updated_at : null;
  if (isChanged || updatedAt != null) {
    await updateIssueRow(uow, issue.id, {
      ...columns,
      ...derivedTextColumns(columns),
      updated_at: updatedAt ?? uow.now,
    });
  }
  const updatedIssue = await requireIssue(uow, issue.id);
  await recordIssuableChanges(
    uow,
    'Issue',
    before,
    { ...updatedIssue, assignees },
    listIssueNoteTexts(issue, updatedIssue),
  );
  await recordWeightChange(uow, issue.weight, updatedIssue);
  await publishIssuableChanges(
    uow,
    toResource(issue),
    { ...before, labels: labelIds },
    { ...updatedIssue, labels, assignees },
  );
  await publishTextChanges(uow, { type: 'Issue', id: issue.id, iid, project }, issue, columns);
  return updatedIssue;
}
