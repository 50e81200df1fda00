import type { StateEvent } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { filterIssueReaders, findIssue, type Issue } from '#authorization/issues.ts';
import type { Columns } from '#database/database.ts';
import type { IssueSeverity, IssueState, IssueType } from '#database/schema.ts';
import { allocateIid, IID_TAKEN, reserveIid } from '#domain/iids.ts';
import { OWNER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ProjectIssuable } from '#http/access/noteables.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { upsertEpicIssueAssociation } from '../epics/index.ts';
import {
  buildTextColumns,
  IMPORTED_VALUES,
  type ImportedState,
  ISSUES,
  insertImportedLabels,
  newStateColumns,
  recordIssuableCreated,
  recordMentions,
  resolveAssignees,
  resolveLabels,
  updateAssignees,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import { findMilestoneByTitle } from '../milestones/index.ts';
import { applyDescriptionCommands, runAfterUpdate } from '../quick-actions/index.ts';
import { recordWeightChange } from './activity.ts';
import { findEpicForImport, resolveEpic, updateEpicAssociation } from './epic.ts';
import { describeFollowUp, loadFollowUp, resolveFollowedThreads } from './follow-up.ts';
import { type IssueMetadata, NO_METADATA, resolveIssueMetadata, validateWeight } from './metadata.ts';
import type { createIssueParams } from './parameters.ts';
import { newIssueSubject } from './quick-actions/subject.ts';
import { insertIssue, nextRelativePosition, requireIssue } from './store.ts';
import { updateIssueWithQuickActions } from './update.ts';

type CreateIssueInput = ParameterValues<typeof createIssueParams> & { readonly title: string };

/**
 * Creates an issue as the last one of the project. Ignores metadata from non-members, and `iid` and `created_at` from callers below
 * Owner. An issue that continues threads of a merge request resolves them.
 */
export async function createIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  params: CreateIssueInput,
  { mergeRequest, baseUrl }: { readonly mergeRequest: ProjectIssuable | null; readonly baseUrl: string },
): Promise<Issue | Failure<'invalid' | 'epicNotFound' | 'epicUnreadable' | 'archived' | 'notFound'>> {
  if (mergeRequest === null) return createIssueWithQuickActions(uow, project, params);
  const followUp = await loadFollowUp(uow, uow.actor, mergeRequest, params.discussion_to_resolve);
  const description =
    params.description === undefined ? await describeFollowUp(uow, followUp, baseUrl) : params.description;
  if (isFailure(description)) return description;
  const issue = await createIssueWithQuickActions(uow, project, { ...params, description });
  if (!isFailure(issue)) await resolveFollowedThreads(uow, followUp, issue);
  return issue;
}

async function createIssueWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  params: CreateIssueInput,
): Promise<Issue | Failure<'invalid' | 'epicNotFound' | 'epicUnreadable' | 'archived' | 'notFound'>> {
  const { input, afterUpdate, closesAfterCreation } = await applyDescriptionCommands(uow, params, async () =>
    newIssueSubject(uow, project, params.title, params.confidential === true),
  );
  const issue = await insertNewIssue(uow, project, input);
  if (isFailure(issue)) return issue;
  const updatedIssue = await runAfterUpdate(issue, afterUpdate, (id) => requireIssue(uow, id));
  return closesAfterCreation && !isFailure(updatedIssue)
    ? updateIssueWithQuickActions(uow, project, issue.iid, { state_event: 'close' })
    : updatedIssue;
}

async function insertNewIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  input: CreateIssueInput,
): Promise<Issue | Failure<'invalid' | 'epicNotFound' | 'epicUnreadable'>> {
  const metadataInput: Partial<CreateIssueInput> = mayInProject(uow.actor, 'set_new_issue_metadata', project)
    ? input
    : {};
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    weight: validateWeight(uow, metadataInput),
  });
  if (errors) return invalid(errors);
  const epic = await resolveEpic(uow, project, metadataInput);
  if (isFailure(epic)) return epic;
  const ownerInput: Partial<CreateIssueInput> = getProjectRole(uow.actor, project) >= OWNER ? input : {};
  const confidential = input.confidential === true || epic?.confidential === true;
  const visibility = { confidential, author_id: uow.actor.user.id };
  // All readers of the project's public issues may be assigned, even to a confidential issue: assignees may read it.
  const assignmentVisibility = { ...visibility, confidential: false };
  const { labels, assignees, ...metadata } = await resolveIssueMetadata(
    uow,
    project,
    assignmentVisibility,
    NO_METADATA,
    metadataInput,
  );
  const iid = await resolveIid(uow, project, ownerInput);
  const issue = await insertIssueWithRelations(uow, project, {
    ...visibility,
    ...metadata,
    iid,
    title: input.title,
    description: input.description ?? null,
    issue_type: input.issue_type ?? 'issue',
    labels,
    assignees,
    createdAt: ownerInput.created_at ?? uow.now,
  });
  await updateEpicAssociation(uow, { issue, project }, epic);
  await recordIssueCreated(uow, project, issue);
  return issue;
}

/**
 * Returns the requested iid, or allocates the next one if none is requested or the requested one is below 1. The unique index rejects
 * an iid in use.
 */
async function resolveIid(
  uow: UnitOfWork,
  { id: projectId }: Project,
  { iid }: { readonly iid?: number | null | undefined },
) {
  if (iid == null || iid < 1) return allocateIid(uow, { projectId }, 'issue');
  await reserveIid(uow, { projectId }, 'issue', iid);
  return iid;
}

/** A new issue with its iid, labels, assignees and other metadata. */
interface NewIssueWithRelations
  extends Omit<IssueMetadata, 'labels'>,
    Columns<'issues', 'iid' | 'title' | 'description' | 'issue_type' | 'confidential' | 'author_id'> {
  /** Only for incidents. */
  readonly severity?: IssueSeverity;
  /** Ids of labels. */
  readonly labels: readonly number[];
  readonly createdAt: string;
  /** Only for imported issues. */
  readonly importedState?: ImportedState<IssueState>;
}

/** Inserts an issue as the last one of the project. Requires the lock `issuesLockKey`. */
async function insertIssueWithRelations(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  issue: NewIssueWithRelations,
): Promise<Issue> {
  const { title, description, labels, assignees, createdAt, importedState, ...row } = issue;
  const id = await insertIssue(uow, {
    ...row,
    project_id: project.id,
    ...buildTextColumns({ title, description }),
    start_date: null,
    relative_position: await nextRelativePosition(uow, project.id),
    moved_to_id: null,
    ...newStateColumns(createdAt),
    ...(importedState && { ...importedState, ...IMPORTED_VALUES }),
  });
  await (importedState
    ? insertImportedLabels(uow, ISSUES, id, labels)
    : updateLabels(uow, ISSUES, id, { before: [], after: labels }));
  await updateAssignees(uow, ISSUES, id, { before: [], after: assignees });
  return requireIssue(uow, id);
}

/** Records the creation and the weight of a new issue, and the mentions in its texts. */
async function recordIssueCreated(uow: UnitOfWork<SignedInCaller>, project: Project, issue: Issue): Promise<void> {
  const { id, iid, title, description } = issue;
  await recordIssuableCreated(uow, 'Issue', issue);
  await recordWeightChange(uow, null, issue);
  await recordMentions(uow, { type: 'Issue', id, iid, project }, [title, description ?? '']);
}

/** An issue exported from another server. User ids and the epic id are those of this server. */
interface IssueImport {
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
 * Imports an issue with its original iid, without notifications (contract/operations.md §1.4). Drops a milestone or epic out of
 * scope, and assignees who may not read the issue.
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

/** The merge request or commit that closes an issue, for its state event. */
export type CloseReason = Pick<StateEvent, 'sourceMergeRequestId' | 'sourceCommit'>;

/** Closes an issue because of another event, such as a merge, and records the change. Does nothing if the issue is closed. */
export async function closeIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id, iid, project_id }: Pick<Issue, 'id' | 'iid' | 'project_id'>,
  reason: CloseReason = {},
): Promise<void> {
  // index: issues primary key
  const closedRow = await uow
    .updateTable('issues')
    .set({ state: 'closed', closed_at: uow.now, closed_by_id: uow.actor.user.id, updated_at: uow.now })
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .returning('id')
    .executeTakeFirst();
  if (closedRow === undefined) return;
  await uow.record({ stateOf: { type: 'Issue', id }, state: 'closed', ...reason });
  const target = { type: 'Issue', id, iid } as const;
  await uow.record({ projectId: project_id, authorId: uow.actor.user.id, action: 'closed', target });
}

/** Content of an incident that the server creates (contract/monitoring.md §7). */
interface CreateIncidentInput {
  /** Returns the title of the incident with this iid. */
  readonly buildTitle: (iid: number) => string;
  readonly description: string;
  readonly severity: IssueSeverity;
}

/** Creates an incident as the last issue of the project. The actor need not be a member. Requires the lock `issuesLockKey`. */
export async function createIncident(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  incident: CreateIncidentInput,
): Promise<Issue> {
  const { buildTitle, description, severity } = incident;
  const iid = await allocateIid(uow, { projectId: project.id }, 'issue');
  const issue = await insertIssueWithRelations(uow, project, {
    ...NO_METADATA,
    iid,
    title: buildTitle(iid),
    description,
    severity,
    issue_type: 'incident',
    confidential: false,
    author_id: uow.actor.user.id,
    labels: [],
    createdAt: uow.now,
  });
  await recordIssueCreated(uow, project, issue);
  return issue;
}
