import { sql } from 'kysely';
import { type Resource, resourceOfRow, tableOf } from '#activity/index.ts';
import { findPipelines, headPipelines } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import { subscription } from '#events/event-bus.ts';
import type { Occurrence } from '#events/mail-occurrences.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { assigneesOf, ISSUES, MERGE_REQUESTS, REVIEWED } from '../issuables/index.ts';
import { findTold } from '../mail-messages/index.ts';
import { finishTodosOn } from '../todo-rows/index.ts';
import { give, giveToNamed } from './create.ts';

/**
 * What happens to issues, merge requests and epics gives users something to do, and is done by whoever acts: part of the act,
 * because a text names a hundred users at most, and of all else there are few.
 */

type Event = Occurrence['event'];

const NEW: readonly Event[] = ['new_issue', 'new_merge_request', 'new_epic'];

/** Whoever does this to a thing has done what he had to do there. */
const ACTING: readonly Event[] = ['close_issue', 'close_merge_request', 'merge_merge_request', 'push_to_merge_request'];

export const followOccurrences = subscription({
  event: 'occurred',
  async inTransaction(uow, { event, about }) {
    const { type, id } = about;
    if (type === 'Note') return followNote(uow, id);
    if (type === 'Pipeline') return event === 'failed_pipeline' ? tellOfFailure(uow, id) : undefined;
    if (type === 'Project' || type === 'Alert') return;
    if (NEW.includes(event)) await followNew(uow, { type, id });
    if (ACTING.includes(event)) await finish(uow, { type, id });
  },
});

async function finish(uow: UnitOfWork, about: Resource): Promise<void> {
  if (uow.actor.user !== null) await finishTodosOn(uow, uow.actor.user.id, about);
}

/** index: issues primary key, merge_requests primary key, epics primary key */
async function followNew(uow: UnitOfWork, about: Resource): Promise<void> {
  const things = uow.selectFrom(tableOf(about.type)).select(['title', 'description']).where('id', '=', about.id);
  const texts = await things.executeTakeFirst();
  const people = async (kind: typeof ISSUES) => (await assigneesOf(uow, kind, [about.id])).map((one) => one.user_id);
  const assigned = about.type === 'Epic' ? [] : await people(about.type === 'Issue' ? ISSUES : MERGE_REQUESTS);
  const reviewers = about.type === 'MergeRequest' ? await people(REVIEWED) : [];
  await giveToPeople(uow, about, assigned, reviewers);
  if (texts) await giveToNamed(uow, about, { text: `${texts.title}\n\n${texts.description ?? ''}`, internal: false });
}

/** A new comment. index: notes primary key */
async function followNote(uow: UnitOfWork, noteId: number): Promise<void> {
  const note = await uow
    .selectFrom('notes')
    .select(['body', 'internal', 'issue_id', 'merge_request_id', 'epic_id'])
    .where('id', '=', noteId)
    .executeTakeFirst();
  // What is said on commits is nobody's to do.
  if (note === undefined || (note.issue_id ?? note.merge_request_id ?? note.epic_id) === null) return;
  const about = resourceOfRow(note);
  await finish(uow, about);
  await giveToNamed(uow, about, { text: note.body, noteId, internal: note.internal });
}

export const followAwards = subscription({
  event: 'emoji-awarded',
  inTransaction: async (uow, { userId, about }) => void (await finishTodosOn(uow, userId, about)),
});

export const followApprovals = subscription({
  event: 'approved',
  inTransaction: async (uow, { mergeRequestId: id, userId }) =>
    void (await finishTodosOn(uow, userId, { type: 'MergeRequest', id })),
});

export const followChanges = subscription({
  event: 'thing-changed',
  async inTransaction(uow, { about, assigned, reviewers, metadata }) {
    if (metadata) await finish(uow, about);
    await giveToPeople(uow, about, assigned, reviewers);
  },
});

async function giveToPeople(
  uow: UnitOfWork,
  about: Resource,
  assigned: readonly number[],
  reviewers: readonly number[],
): Promise<void> {
  if (assigned.length + reviewers.length === 0) return;
  const told = await findTold(uow, about);
  if (told === null) return;
  await give(uow, told, 'assigned', assigned);
  await give(uow, told, 'review_requested', reviewers);
}

/** Whom an edit names that was not named before. */
export const followEdits = subscription({
  event: 'reworded',
  inTransaction: (uow, { about, text, before, noteId, internal }) =>
    giveToNamed(uow, about, { text, before, noteId: noteId ?? null, internal }),
});

export const tellOfConflicts = subscription({
  event: 'conflicts-come',
  inTransaction: (uow, { mergeRequestId }) => giveToAuthor(uow, mergeRequestId, 'unmergeable'),
});

/** So many merge requests of one branch are told of its pipeline. */
const MOST = 100;

/** Those whose head pipeline it is. index: merge_requests_open_by_branches */
async function tellOfFailure(uow: UnitOfWork, pipelineId: number): Promise<void> {
  const [pipeline] = await findPipelines(uow, [pipelineId]);
  if (pipeline === undefined || pipeline.tag) return;
  const open = await openFrom(uow, pipeline);
  const heads = await headPipelines(uow, open);
  for (const id of open) if (heads.get(id)?.id === pipelineId) await giveToAuthor(uow, id, 'build_failed');
}

async function openFrom(
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
    .limit(MOST)
    .execute();
  return rows.map(({ id }) => id);
}

/** Nobody has done it: it is told in the author's own name, to him and to who wants it merged by itself. index: merge_request_auto_merges primary key */
async function giveToAuthor(uow: UnitOfWork, id: number, action: 'build_failed' | 'unmergeable'): Promise<void> {
  const told = await findTold(uow, { type: 'MergeRequest', id });
  if (told === null) return;
  const setter = await uow
    .selectFrom('merge_request_auto_merges')
    .select('user_id')
    .where('merge_request_id', '=', id)
    .executeTakeFirst();
  const concerned = setter === undefined ? [told.authorId] : [told.authorId, setter.user_id];
  await give(uow, told, action, await told.readers(uow, concerned, false));
}
