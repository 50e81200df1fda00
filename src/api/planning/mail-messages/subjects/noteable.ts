import type { NotificationTarget, Resource, ResourceType } from '#activity/index.ts';
import {
  ISSUES,
  type IssuableTables,
  loadAssignees,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
} from '#api/planning/issuables/index.ts';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { findUserIdByConfirmedAddress } from '#authentication/users/emails.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findEpicsForList, mayReadEpic } from '#authorization/epics.ts';
import { findIssuesForList, mayReadIssue } from '#authorization/issues.ts';
import { findListedMergeRequests, mayReadMergeRequests } from '#authorization/merge-requests.ts';
import { filterGroupReaders, filterProjectReaders } from '#authorization/readers.ts';
import type { Columns, Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { getRepository } from '#repositories/repository.ts';
import { loadGroupContainer, loadProjectContainer, type MailContainer } from './container.ts';

/** An issue, merge request or epic as the subject of mails, without its description, which may be very long. */
export interface NoteableSubject {
  readonly resource: Resource;
  readonly container: MailContainer;
  readonly iid: number;
  readonly title: string;
  readonly authorId: number;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly dueDate: string | null;
  /** Returns which of these users may read the noteable now; with `internal`, only those who may also read its internal notes. */
  readonly filterReaders: (db: Reader, userIds: readonly number[], internal: boolean) => Promise<readonly number[]>;
}

/** Words for each type of noteable in texts, references, URLs and headers. */
export const NOTEABLE_WORDS = {
  Issue: { noun: 'issue', referencePrefix: '#', pathSegment: 'issues', headerName: 'Issue' },
  MergeRequest: {
    noun: 'merge request',
    referencePrefix: '!',
    pathSegment: 'merge_requests',
    headerName: 'MergeRequest',
  },
  Epic: { noun: 'epic', referencePrefix: '&', pathSegment: 'epics', headerName: 'Epic' },
} as const satisfies Record<ResourceType, object>;

/** Loads a noteable; returns null if it or its container is deleted. */
export function findNoteableSubject(db: Reader, { type, id }: Resource): Promise<NoteableSubject | null> {
  return SUBJECT_FINDERS[type](db, id);
}

const SUBJECT_FINDERS: Readonly<Record<ResourceType, (db: Reader, id: number) => Promise<NoteableSubject | null>>> = {
  async Issue(db, id) {
    const [issue] = await findIssuesForList(db, ANONYMOUS, [id]);
    const container = issue && (await loadProjectContainer(db, issue.project_id));
    if (!issue || !container?.project) return null;
    const { project } = container;
    const assignees = await listAssigneeIds(db, ISSUES, id);
    return {
      ...toCommonFields('Issue', container, issue),
      assignees,
      reviewers: [],
      dueDate: issue.due_date,
      filterReaders: (db, userIds, internal) =>
        filterProjectReaders(db, project, userIds, (reader, readableProject) => {
          const assigned = assignees.includes(reader.user?.id ?? 0) ? 1 : 0;
          return (
            mayReadIssue(reader, readableProject, { ...issue, assigned }) &&
            mayReadNote(reader, readableProject, internal)
          );
        }),
    };
  },
  async MergeRequest(db, id) {
    const [mergeRequest] = await findListedMergeRequests(db, ANONYMOUS, [id]);
    const container = mergeRequest && (await loadProjectContainer(db, mergeRequest.project_id));
    if (!mergeRequest || !container?.project) return null;
    const { project } = container;
    return {
      ...toCommonFields('MergeRequest', container, mergeRequest),
      assignees: await listAssigneeIds(db, MERGE_REQUESTS, id),
      reviewers: await listAssigneeIds(db, MERGE_REQUESTS_BY_REVIEWER, id),
      dueDate: null,
      filterReaders: (db, userIds, internal) =>
        filterProjectReaders(
          db,
          project,
          userIds,
          (reader, readableProject) =>
            mayReadMergeRequests(reader, readableProject) && mayReadNote(reader, readableProject, internal),
        ),
    };
  },
  async Epic(db, id) {
    const [epic] = await findEpicsForList(db, [id]);
    const container = epic && (await loadGroupContainer(db, epic.group_id));
    if (!epic || !container?.group) return null;
    const { group } = container;
    return {
      ...toCommonFields('Epic', container, epic),
      assignees: [],
      reviewers: [],
      dueDate: null,
      filterReaders: (db, userIds, internal) =>
        filterGroupReaders(db, group, userIds, (reader, readableGroup) =>
          mayReadEpic(reader, readableGroup, { confidential: epic.confidential || internal }),
        ),
    };
  },
};

const mayReadNote = (reader: Caller, project: Project, internal: boolean) =>
  !internal || mayInProject(reader, 'read_internal_note', project);

function toCommonFields(
  type: ResourceType,
  container: MailContainer,
  { id, iid, title, author_id: authorId }: Columns<'issues', 'id' | 'iid' | 'title' | 'author_id'>,
) {
  return { resource: { type, id }, container, iid, title, authorId };
}

async function listAssigneeIds(db: Reader, kind: IssuableTables, id: number): Promise<number[]> {
  return (await loadAssignees(db, kind, [id])).map(({ user_id }) => user_id);
}

/** A commit with comments. */
export type CommitSubject = Columns<'commented_commits'>;

/** Returns the commented commit with this id, or null if its project is deleted. index: commented_commits primary key */
export async function findCommitSubject(db: Reader, id: number): Promise<CommitSubject | null> {
  return (await db.selectFrom('commented_commits').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Returns the user with the confirmed address of the commit's author, or null. */
export async function findCommitAuthorId(
  db: Reader,
  git: Git,
  project: Project,
  { sha }: CommitSubject,
): Promise<number | null> {
  const commit = await readCommit(git, getRepository(git, project), sha);
  return commit === null ? null : findUserIdByConfirmedAddress(db, commit.author.email);
}

/** Returns the first 8 characters of the SHA, for texts of mails. */
export const abbreviateSha = (sha: string): string => sha.slice(0, 8);

/** Loads the container of a noteable or commit and who may read it; returns null if it is deleted. */
export async function findTargetReaders(
  db: Reader,
  { type, id }: NotificationTarget,
): Promise<Pick<NoteableSubject, 'container' | 'filterReaders'> | null> {
  if (type !== 'Commit') return findNoteableSubject(db, { type, id });
  const commit = await findCommitSubject(db, id);
  const container = commit && (await loadProjectContainer(db, commit.project_id));
  if (!container?.project) return null;
  const { project } = container;
  // Notes on commits are never internal.
  return { container, filterReaders: (db, userIds) => filterProjectReaders(db, project, userIds, mayReadCode) };
}

/** Returns whether the user may read the commits of the project. */
export const mayReadCode = (reader: Caller, project: Project): boolean => mayInProject(reader, 'read_code', project);

/** The columns of an alert that mails use. */
export type AlertSubject = Columns<'alerts', 'id' | 'project_id' | 'iid' | 'title' | 'description'>;

/** Returns the alert, or null if it is deleted. index: alerts primary key */
export async function findAlertSubject(db: Reader, id: number): Promise<AlertSubject | null> {
  const row = await db
    .selectFrom('alerts')
    .select(['id', 'project_id', 'iid', 'title', 'description'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
