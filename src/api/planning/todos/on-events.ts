import { sql } from 'kysely';
import { type Resource, resourceOfRow, tableOf } from '#activity/index.ts';
import { findPipelines, headPipelines } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import { subscription } from '#events/event-bus.ts';
import type { Occurrence } from '#events/mail-occurrences.ts';
import type { Act } from '#events/unit-of-work.ts';
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
  fact: 'occurred',
  async inTransaction(act, { event, about }) {
    const { type, id } = about;
    if (type === 'Note') return followNote(act, id);
    if (type === 'Pipeline') return event === 'failed_pipeline' ? tellOfFailure(act, id) : undefined;
    if (type === 'Project' || type === 'Alert') return;
    if (NEW.includes(event)) await followNew(act, { type, id });
    if (ACTING.includes(event)) await finish(act, { type, id });
  },
});

async function finish(act: Act, about: Resource): Promise<void> {
  if (act.by.user !== null) await finishTodosOn(act, act.by.user.id, about);
}

/** index: issues primary key, merge_requests primary key, epics primary key */
async function followNew(act: Act, about: Resource): Promise<void> {
  const things = act.selectFrom(tableOf(about.type)).select(['title', 'description']).where('id', '=', about.id);
  const texts = await things.executeTakeFirst();
  const people = async (kind: typeof ISSUES) => (await assigneesOf(act, kind, [about.id])).map((one) => one.user_id);
  const assigned = about.type === 'Epic' ? [] : await people(about.type === 'Issue' ? ISSUES : MERGE_REQUESTS);
  const reviewers = about.type === 'MergeRequest' ? await people(REVIEWED) : [];
  await giveToPeople(act, about, assigned, reviewers);
  if (texts) await giveToNamed(act, about, { text: `${texts.title}\n\n${texts.description ?? ''}`, internal: false });
}

/** A new comment. index: notes primary key */
async function followNote(act: Act, noteId: number): Promise<void> {
  const note = await act
    .selectFrom('notes')
    .select(['body', 'internal', 'issue_id', 'merge_request_id', 'epic_id'])
    .where('id', '=', noteId)
    .executeTakeFirst();
  // What is said on commits is nobody's to do.
  if (note === undefined || (note.issue_id ?? note.merge_request_id ?? note.epic_id) === null) return;
  const about = resourceOfRow(note);
  await finish(act, about);
  await giveToNamed(act, about, { text: note.body, noteId, internal: note.internal });
}

export const followAwards = subscription({
  fact: 'emoji-awarded',
  inTransaction: async (act, { userId, about }) => void (await finishTodosOn(act, userId, about)),
});

export const followApprovals = subscription({
  fact: 'approved',
  inTransaction: async (act, { mergeRequestId: id, userId }) =>
    void (await finishTodosOn(act, userId, { type: 'MergeRequest', id })),
});

export const followChanges = subscription({
  fact: 'thing-changed',
  async inTransaction(act, { about, assigned, reviewers, metadata }) {
    if (metadata) await finish(act, about);
    await giveToPeople(act, about, assigned, reviewers);
  },
});

async function giveToPeople(
  act: Act,
  about: Resource,
  assigned: readonly number[],
  reviewers: readonly number[],
): Promise<void> {
  if (assigned.length + reviewers.length === 0) return;
  const told = await findTold(act, about);
  if (told === null) return;
  await give(act, told, 'assigned', assigned);
  await give(act, told, 'review_requested', reviewers);
}

/** Whom an edit names that was not named before. */
export const followEdits = subscription({
  fact: 'reworded',
  inTransaction: (act, { about, text, before, noteId, internal }) =>
    giveToNamed(act, about, { text, before, noteId: noteId ?? null, internal }),
});

export const tellOfConflicts = subscription({
  fact: 'conflicts-come',
  inTransaction: (act, { mergeRequestId }) => giveToAuthor(act, mergeRequestId, 'unmergeable'),
});

/** So many merge requests of one branch are told of its pipeline. */
const MOST = 100;

/** Those whose head pipeline it is. index: merge_requests_open_by_branches */
async function tellOfFailure(act: Act, pipelineId: number): Promise<void> {
  const [pipeline] = await findPipelines(act, [pipelineId]);
  if (pipeline === undefined || pipeline.tag) return;
  const open = await openFrom(act, pipeline);
  const heads = await headPipelines(act, open);
  for (const id of open) if (heads.get(id)?.id === pipelineId) await giveToAuthor(act, id, 'build_failed');
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
async function giveToAuthor(act: Act, id: number, action: 'build_failed' | 'unmergeable'): Promise<void> {
  const told = await findTold(act, { type: 'MergeRequest', id });
  if (told === null) return;
  const setter = await act
    .selectFrom('merge_request_auto_merges')
    .select('user_id')
    .where('merge_request_id', '=', id)
    .executeTakeFirst();
  const concerned = setter === undefined ? [told.authorId] : [told.authorId, setter.user_id];
  await give(act, told, action, await told.readers(act, concerned, false));
}
