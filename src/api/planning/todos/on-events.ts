import { sql } from 'kysely';
import { getResourceTable, type NotificationTarget, type Resource, toNoteTarget } from '#activity/index.ts';
import { findPipelines, loadHeadPipelines } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { NotifiableEvent } from '#events/notifiable-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  ISSUES,
  type IssuableTables,
  loadAssignees,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
} from '../issuables/index.ts';
import { findNoteableSubject } from '../mail-messages/index.ts';
import { markTodosDone } from '../todo-rows/index.ts';
import { createTodosFor, createTodosForMentions } from './changes.ts';

// Events on issues, merge requests, epics and commits create to-do items and complete those of the actor. This happens in the unit
// of work of the event: the number of users that one event concerns is limited.

type Event = NotifiableEvent['event'];

const CREATION_EVENTS: readonly Event[] = ['new_issue', 'new_merge_request', 'new_epic'];

/** Events that complete the actor's to-do items for the noteable. */
const COMPLETING_EVENTS: readonly Event[] = [
  'close_issue',
  'close_merge_request',
  'merge_merge_request',
  'push_to_merge_request',
];

export const onNotifiableEvent = defineSubscription({
  event: 'notifiable-event-occurred',
  async inTransaction(uow, { event, about }) {
    const { type, id } = about;
    if (type === 'Note') return onNoteCreated(uow, id);
    if (type === 'Pipeline') return event === 'failed_pipeline' ? onPipelineFailed(uow, id) : undefined;
    if (type === 'Project' || type === 'Alert') return;
    if (CREATION_EVENTS.includes(event)) await onNoteableCreated(uow, { type, id });
    if (COMPLETING_EVENTS.includes(event)) await markDoneForActor(uow, { type, id });
  },
});

async function markDoneForActor(uow: UnitOfWork, target: NotificationTarget): Promise<void> {
  if (uow.actor.user !== null) await markTodosDone(uow, uow.actor.user.id, target);
}

/** Handles a new issue, merge request or epic. index: issues primary key, merge_requests primary key, epics primary key */
async function onNoteableCreated(uow: UnitOfWork, resource: Resource): Promise<void> {
  const query = uow
    .selectFrom(getResourceTable(resource.type))
    .select(['title', 'description'])
    .where('id', '=', resource.id);
  const texts = await query.executeTakeFirst();
  const loadUserIds = async (kind: IssuableTables) =>
    (await loadAssignees(uow, kind, [resource.id])).map(({ user_id }) => user_id);
  const assigneeIds =
    resource.type === 'Epic' ? [] : await loadUserIds(resource.type === 'Issue' ? ISSUES : MERGE_REQUESTS);
  const reviewerIds = resource.type === 'MergeRequest' ? await loadUserIds(MERGE_REQUESTS_BY_REVIEWER) : [];
  await createTodosForAssignment(uow, resource, assigneeIds, reviewerIds);
  if (texts)
    await createTodosForMentions(uow, resource, {
      text: `${texts.title}\n\n${texts.description ?? ''}`,
      internal: false,
    });
}

/** Handles a new comment. index: notes primary key */
async function onNoteCreated(uow: UnitOfWork, noteId: number): Promise<void> {
  const note = await uow
    .selectFrom('notes')
    .select(['body', 'internal', 'issue_id', 'merge_request_id', 'epic_id', 'commented_commit_id', 'snippet_id'])
    .where('id', '=', noteId)
    .executeTakeFirst();
  if (note === undefined) return;
  const { type, id } = toNoteTarget(note);
  // Comments on snippets create no to-do items.
  if (type === 'Snippet') return;
  await markDoneForActor(uow, { type, id });
  await createTodosForMentions(uow, { type, id }, { text: note.body, noteId, internal: note.internal });
}

export const onEmojiAwarded = defineSubscription({
  event: 'emoji-awarded',
  inTransaction: async (uow, { userId, about }) => void (await markTodosDone(uow, userId, about)),
});

export const onMergeRequestApproved = defineSubscription({
  event: 'merge-request-approved',
  inTransaction: async (uow, { mergeRequestId: id, userId }) =>
    void (await markTodosDone(uow, userId, { type: 'MergeRequest', id })),
});

export const onNoteableUpdated = defineSubscription({
  event: 'noteable-updated',
  async inTransaction(uow, { about, assigned, reviewers, metadata }) {
    if (metadata) await markDoneForActor(uow, about);
    await createTodosForAssignment(uow, about, assigned, reviewers);
  },
});

async function createTodosForAssignment(
  uow: UnitOfWork,
  resource: Resource,
  assigneeIds: readonly number[],
  reviewerIds: readonly number[],
): Promise<void> {
  if (assigneeIds.length + reviewerIds.length === 0) return;
  const subject = await findNoteableSubject(uow, resource);
  if (subject === null) return;
  await createTodosFor(uow, subject, 'assigned', assigneeIds);
  await createTodosFor(uow, subject, 'review_requested', reviewerIds);
}

/** When a text is edited: creates to-do items for newly mentioned users. */
export const onTextUpdated = defineSubscription({
  event: 'text-updated',
  inTransaction: (uow, { about, text, before, noteId, internal }) =>
    createTodosForMentions(uow, about, { text, before, noteId: noteId ?? null, internal }),
});

export const onMergeConflicts = defineSubscription({
  event: 'merge-conflicts-detected',
  inTransaction: (uow, { mergeRequestId }) => createTodoForAuthor(uow, mergeRequestId, 'unmergeable'),
});

/** Maximum number of merge requests for which a failed pipeline creates items. */
const MAX_MERGE_REQUESTS = 100;

/**
 * When a pipeline fails: creates to-do items for the merge requests of which it is the head pipeline.
 * index: merge_requests_open_by_branches
 */
async function onPipelineFailed(uow: UnitOfWork, pipelineId: number): Promise<void> {
  const [pipeline] = await findPipelines(uow, [pipelineId]);
  if (pipeline === undefined || pipeline.tag) return;
  const openIds = await listOpenMergeRequestIds(uow, pipeline);
  const headPipelinesById = await loadHeadPipelines(uow, openIds);
  for (const id of openIds)
    if (headPipelinesById.get(id)?.id === pipelineId) await createTodoForAuthor(uow, id, 'build_failed');
}

async function listOpenMergeRequestIds(
  db: Reader,
  { project_id, ref, sha }: { readonly project_id: number; readonly ref: string; readonly sha: string },
): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project_id)
    .where('state', '=', sql.lit('opened' as const))
    .where('source_branch', '=', ref)
    .where('head_sha', '=', sha)
    .limit(MAX_MERGE_REQUESTS)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Creates a to-do item for the author of a merge request and one for the user who set auto-merge.
 * index: merge_request_auto_merges primary key
 */
async function createTodoForAuthor(uow: UnitOfWork, id: number, action: 'build_failed' | 'unmergeable'): Promise<void> {
  const subject = await findNoteableSubject(uow, { type: 'MergeRequest', id });
  if (subject === null) return;
  const autoMerge = await uow
    .selectFrom('merge_request_auto_merges')
    .select('user_id')
    .where('merge_request_id', '=', id)
    .executeTakeFirst();
  const userIds = autoMerge === undefined ? [subject.authorId] : [subject.authorId, autoMerge.user_id];
  await createTodosFor(uow, subject, action, await subject.filterReaders(uow, userIds, false));
}
