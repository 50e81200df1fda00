import { type SqlBool, sql } from 'kysely';
import {
  getResourceTable,
  type NoteTarget,
  type NotificationTarget,
  type Resource,
  toNoteTarget,
} from '#activity/index.ts';
import { findPipelines, type PipelineRow } from '#authorization/pipelines.ts';
import type { Columns, Reader } from '#database/database.ts';
import type { MailEvent, MailTarget } from '#database/schema.ts';
import type { NotifiableEvent } from '#events/notifiable-events.ts';
import type { Git } from '#git/git.ts';
import { THREAD_STARTING_EVENTS } from '../content/texts.ts';
import { findMentionedUserIds } from '../recipients/mentioned-users.ts';
import { loadProjectContainer, type MailContainer } from './container.ts';
import {
  type AlertSubject,
  type CommitSubject,
  findAlertSubject,
  findCommitAuthorId,
  findCommitSubject,
  findNoteableSubject,
  type NoteableSubject,
} from './noteable.ts';

/** The subject of a mail in its current state, without its texts. */
export interface MailSubject {
  readonly event: MailEvent;
  readonly container: MailContainer;
  readonly target: { readonly type: MailTarget; readonly id: number };
  /** Null for a commit, a pipeline, an alert or the project itself. */
  readonly noteable: NoteableSubject | null;
  readonly commit: CommitSubject | null;
  readonly pipeline: PipelineRow | null;
  readonly alert: AlertSubject | null;
  readonly resource: Resource | null;
  /** The noteable or the commit; null for other subjects. */
  readonly noteTarget: NotificationTarget | null;
  readonly note: CommentRow | null;
  readonly authorId: number | null;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
}

/** A mail subject with the texts and users of the new event. */
export interface NewMailSubject extends MailSubject {
  /** The body of a new comment or the description of a new noteable; else empty. */
  readonly text: string;
  /** Users mentioned in the new text. */
  readonly mentionedUserIds: readonly number[];
  /** Mentioned users, and the new and former assignees or reviewers. */
  readonly addressedUserIds: readonly number[];
}

type CommentRow = Columns<
  'notes',
  'id' | 'internal' | 'issue_id' | 'merge_request_id' | 'epic_id' | 'commented_commit_id' | 'snippet_id'
>;

/** Returns the comment, or null if it is deleted. index: notes primary key */
async function findComment(db: Reader, id: number): Promise<CommentRow | null> {
  const row = await db
    .selectFrom('notes')
    .select(['id', 'internal', 'issue_id', 'merge_request_id', 'epic_id', 'commented_commit_id', 'snippet_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

interface MailOccurrence {
  readonly event: MailEvent;
  /** The subject of the event. The key is that of `NotifiableEvent`, which queued jobs contain. */
  readonly about: NotifiableEvent['about'] | NoteTarget;
}

/** Loads the subject of an event; returns null if it is deleted. */
export async function loadMailSubject(
  db: Reader,
  { event, about: subjectRef }: MailOccurrence,
): Promise<MailSubject | null> {
  if (subjectRef.type === 'Project') return loadProjectSubject(db, event, subjectRef.id);
  if (subjectRef.type === 'Pipeline') return loadPipelineSubject(db, event, subjectRef.id);
  if (subjectRef.type === 'Alert') return loadAlertSubject(db, event, subjectRef.id);
  const note = subjectRef.type === 'Note' ? await findComment(db, subjectRef.id) : null;
  if (subjectRef.type === 'Note' && note === null) return null;
  const { type, id } = note === null ? (subjectRef as NoteTarget) : toNoteTarget(note);
  if (type === 'Snippet') return null;
  if (type === 'Commit') return loadCommitSubject(db, event, id, note);
  const resource = { type, id };
  const noteable = await findNoteableSubject(db, resource);
  if (noteable === null) return null;
  return {
    ...NO_NOTEABLE,
    event,
    container: noteable.container,
    target: resource,
    noteable,
    resource,
    noteTarget: resource,
    note,
    authorId: noteable.authorId,
    assignees: noteable.assignees,
    reviewers: noteable.reviewers,
  };
}

/** Loads the subject of a new event with its texts and users; returns null if it is deleted. */
export async function loadNewMailSubject(
  db: Reader,
  git: Git,
  occurrence: NotifiableEvent,
): Promise<NewMailSubject | null> {
  const subject = await loadMailSubject(db, occurrence);
  if (subject === null) return null;
  const { event, noteable, commit, container } = subject;
  const text = await loadNewText(db, subject);
  // Texts of CI files and alerts mention nobody.
  const mentionedUserIds =
    subject.pipeline === null && subject.alert === null ? await findMentionedUserIds(db, text) : [];
  const assignedIds = noteable === null ? [] : getAssignedUserIds(event, noteable);
  return {
    ...subject,
    ...(commit === null ? {} : { authorId: await findCommitAuthorId(db, git, container.project!, commit) }),
    text,
    mentionedUserIds,
    addressedUserIds: [...mentionedUserIds, ...(occurrence.former ?? []), ...assignedIds],
  };
}

/** index: notes primary key, issues primary key, merge_requests primary key, epics primary key */
async function loadNewText(db: Reader, { event, note, resource, pipeline, alert }: MailSubject): Promise<string> {
  if (alert !== null) return alert.description ?? '';
  if (pipeline !== null) return event === 'failed_pipeline' ? describeFailedJobs(db, pipeline) : '';
  if (note !== null) {
    const row = await db.selectFrom('notes').select('body').where('id', '=', note.id).executeTakeFirst();
    return row?.body ?? '';
  }
  if (resource === null || !THREAD_STARTING_EVENTS.includes(event)) return '';
  const query = db.selectFrom(getResourceTable(resource.type)).select('description').where('id', '=', resource.id);
  return (await query.executeTakeFirst())?.description ?? '';
}

/** Returns the current assignees or reviewers if the event is about them. */
export function getAssignedUserIds(event: MailEvent, { assignees, reviewers }: NoteableSubject): readonly number[] {
  if (event === 'reassign_issue' || event === 'reassign_merge_request') return assignees;
  return event === 'change_reviewer_merge_request' ? reviewers : [];
}

async function loadProjectSubject(db: Reader, event: MailEvent, id: number): Promise<MailSubject | null> {
  const container = await loadProjectContainer(db, id);
  return container === null ? null : { ...NO_NOTEABLE, event, container, target: { type: 'Project', id } };
}

async function loadCommitSubject(
  db: Reader,
  event: MailEvent,
  id: number,
  note: CommentRow | null,
): Promise<MailSubject | null> {
  const commit = await findCommitSubject(db, id);
  const container = commit && (await loadProjectContainer(db, commit.project_id));
  const target = { type: 'Commit', id } as const;
  return container ? { ...NO_NOTEABLE, event, container, target, commit, noteTarget: target, note } : null;
}

async function loadPipelineSubject(db: Reader, event: MailEvent, id: number): Promise<MailSubject | null> {
  const [pipeline] = await findPipelines(db, [id]);
  const container = pipeline && (await loadProjectContainer(db, pipeline.project_id));
  return container ? { ...NO_NOTEABLE, event, container, target: { type: 'Pipeline', id }, pipeline } : null;
}

async function loadAlertSubject(db: Reader, event: MailEvent, id: number): Promise<MailSubject | null> {
  const alert = await findAlertSubject(db, id);
  const container = alert && (await loadProjectContainer(db, alert.project_id));
  return container ? { ...NO_NOTEABLE, event, container, target: { type: 'Alert', id }, alert } : null;
}

/** The fields of a subject that is not a noteable. */
const NO_NOTEABLE = {
  noteable: null,
  commit: null,
  pipeline: null,
  alert: null,
  resource: null,
  noteTarget: null,
  note: null,
  authorId: null,
  assignees: [],
  reviewers: [],
} as const;

/** Maximum number of failed jobs that a mail lists. */
const MAX_JOBS = 50;

/** Returns why the pipeline failed: one line per failed job or commit status. index: jobs_latest_by_name, commit_statuses_latest_by_status */
async function describeFailedJobs(db: Reader, { id, yaml_errors }: PipelineRow): Promise<string> {
  if (yaml_errors !== null) return yaml_errors;
  const externalStatuses = db
    .selectFrom('commit_statuses')
    .select(['name', sql<string>`'external'`.as('stage')])
    .where('pipeline_id', '=', id)
    .where(sql<SqlBool>`not retried`)
    .where('status', '=', 'failed');
  const jobs = await db
    .selectFrom('jobs')
    .select(['name', 'stage'])
    .where('pipeline_id', '=', id)
    .where(sql<SqlBool>`not retried`)
    .where('status', '=', 'failed')
    .where('allow_failure', '=', false)
    .unionAll(externalStatuses)
    .orderBy('name')
    .limit(MAX_JOBS)
    .execute();
  return jobs.map(({ name, stage }) => `${stage}: ${name}`).join('\n');
}
