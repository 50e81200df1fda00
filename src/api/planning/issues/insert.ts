import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssues, type Issue } from '#authorization/issues.ts';
import type { Columns } from '#database/database.ts';
import type { IssueSeverity, IssueState } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  IMPORTED_VALUES,
  type ImportedState,
  ISSUES,
  insertImportedLabels,
  newStateColumns,
  newTextColumns,
  recordIssuableCreated,
  recordMentions,
  updateAssignees,
  updateLabels,
} from '../issuables/index.ts';
import { recordWeightChange } from './activity.ts';
import type { IssueMetadata } from './metadata.ts';
import { insertIssue, nextRelativePosition } from './store.ts';

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
export async function insertIssueWithRelations(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  issue: NewIssueWithRelations,
): Promise<Issue> {
  const { title, description, labels, assignees, createdAt, importedState, ...row } = issue;
  const id = await insertIssue(uow, {
    ...row,
    project_id: project.id,
    ...newTextColumns({ title, description }),
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
  const [insertedIssue] = await findIssues(uow, uow.actor, [id]);
  return insertedIssue as Issue;
}

/** Records the creation and the weight of a new issue, and the mentions in its texts. */
export async function recordIssueCreated(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  issue: Issue,
): Promise<void> {
  const { id, iid, title, description } = issue;
  await recordIssuableCreated(uow, 'Issue', issue);
  await recordWeightChange(uow, null, issue);
  await recordMentions(uow, { type: 'Issue', id, iid, project }, [title, description ?? '']);
}
