import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Schema, Transaction } from '#database/database.ts';
import type { SystemNoteKind } from '#database/schema.ts';
import { MONTHS } from '#runtime/clock.ts';
import { type NotificationTarget, type Resource, toMentioningColumns, toResourceColumns } from './resource.ts';

/** A system note about a change of a noteable (contract/planning.md §3.7). Its author made the change. */
export interface SystemNote {
  readonly noteOn: NotificationTarget;
  readonly text: SystemNoteText;
  /**
   * The resource that the text mentions. Users who cannot read it do not see the note. Repeated mentions are not recorded.
   */
  readonly mentionedResource?: Resource;
  /** The thread that the note replies to, as the columns of its first note. */
  readonly thread?: ThreadColumns;
}

type ThreadColumns = Pick<
  Selectable<Schema['notes']>,
  'discussion_id' | 'type' | 'position' | 'commit_sha' | 'internal'
>;

/** Names of these notes in an endpoint's `activity`. */
export type SystemNoteName = `note ${SystemNoteKind}`;

/** Records a system note. Does nothing if the same mention is recorded already. Throws without an author. */
export async function recordSystemNote(
  tx: Transaction,
  authorId: number | null,
  { noteOn, text: { kind, text }, mentionedResource, thread }: SystemNote,
): Promise<void> {
  if (authorId === null) throw new Error('A system note needs an author: the unit of work has no user');
  await tx
    .insertInto('notes')
    .values({
      ...toResourceColumns(noteOn),
      discussion_id: thread?.discussion_id ?? generateDiscussionId(),
      type: thread?.type ?? null,
      position: thread?.position ?? null,
      commit_sha: thread?.commit_sha ?? null,
      author_id: authorId,
      body: text,
      system: true,
      kind,
      ...(mentionedResource && toMentioningColumns(mentionedResource)),
      internal: thread?.internal ?? false,
      created_at: tx.now,
      updated_at: tx.now,
    })
    // index: notes_by_mention, the only one that can conflict
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Generates an id for a note that starts its own discussion. */
export function generateDiscussionId(): string {
  return randomBytes(20).toString('hex');
}

/** Texts of system notes, which clients parse (contract/planning.md §3.7). */
export interface SystemNoteText {
  readonly kind: SystemNoteKind;
  readonly text: string;
}

const createNoteText = (kind: SystemNoteKind, text: string): SystemNoteText => ({ kind, text });

/** Marks the difference between the titles: `changed title from **{-Old-} thing** to **{+New+} thing**`. */
export function titleChangedText(from: string, to: string): SystemNoteText {
  const [oldTitle, newTitle] = [[...from], [...to]];
  const shorterLength = Math.min(oldTitle.length, newTitle.length);
  let start = 0;
  while (start < shorterLength && oldTitle[start] === newTitle[start]) start++;
  let end = 0;
  while (end < shorterLength - start && oldTitle.at(-1 - end) === newTitle.at(-1 - end)) end++;
  const markDifference = (title: readonly string[], sign: string) => {
    const changedPart = title.slice(start, title.length - end).join('');
    const part = changedPart === '' ? '' : `{${sign}${changedPart}${sign}}`;
    return `**${title.slice(0, start).join('')}${part}${title.slice(title.length - end).join('')}**`;
  };
  return createNoteText(
    'title',
    `changed title from ${markDifference(oldTitle, '-')} to ${markDifference(newTitle, '+')}`,
  );
}

export const DESCRIPTION_CHANGED_TEXT = createNoteText('description', 'changed the description');

/** Text for usernames in this order; one of the lists may be empty. */
export function assigneesChangedText(addedUsers: readonly string[], removedUsers: readonly string[]): SystemNoteText {
  const parts = [
    ...(addedUsers.length > 0 ? [`assigned to ${joinUsernames(addedUsers)}`] : []),
    ...(removedUsers.length > 0 ? [`unassigned ${joinUsernames(removedUsers)}`] : []),
  ];
  return createNoteText('assignee', parts.join(' and '));
}

/** Joins usernames: `@a`, `@a and @b`, `@a, @b, and @c`. */
function joinUsernames(usernames: readonly string[]): string {
  const names = usernames.map((name) => `@${name}`);
  if (names.length < 3) return names.join(' and ');
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}

/** Text for a due date in the form `YYYY-MM-DD`; null: removed. */
export function dueDateChangedText(date: string | null): SystemNoteText {
  if (date === null) return createNoteText('due_date', 'removed due date');
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  return createNoteText('due_date', `changed due date to ${MONTHS[month - 1]} ${day}, ${year}`);
}

/** Names of noteables in system notes. */
export type NoteableName = 'issue' | 'merge request' | 'epic';

export function confidentialityChangedText(noteable: NoteableName, confidential: boolean): SystemNoteText {
  return createNoteText(
    'confidential',
    confidential ? `made the ${noteable} confidential` : `made the ${noteable} visible to everyone`,
  );
}

export function lockChangedText(noteable: NoteableName, locked: boolean): SystemNoteText {
  return createNoteText('lock', `${locked ? 'locked' : 'unlocked'} the discussion in this ${noteable}`);
}

/** Texts for a move between projects, with full references: `g/q#3`. */
export const movedToText = (reference: string): SystemNoteText => createNoteText('moved_to', `moved to ${reference}`);
export const movedFromText = (reference: string): SystemNoteText =>
  createNoteText('moved_from', `moved from ${reference}`);

/** Texts on a duplicate about the other issue, and on that issue about its duplicate, with references relative to each. */
export const duplicateOfText = (issue: string): SystemNoteText =>
  createNoteText('duplicate', `marked this issue as a duplicate of ${issue}`);
export const duplicatedByText = (issue: string): SystemNoteText =>
  createNoteText('duplicate', `marked ${issue} as a duplicate of this issue`);

/** Text for a mention: type and full reference of the mentioning resource. */
export const mentionedInText = (noteable: NoteableName, reference: string): SystemNoteText =>
  createNoteText('mention', `mentioned in ${noteable} ${reference}`);

/** Texts on an epic about an issue, and on the issue about the epic, with full references. */
export const childAddedText = (issue: string): SystemNoteText =>
  createNoteText('child', `added ${issue} as child issue`);
export const parentAddedText = (epic: string): SystemNoteText =>
  createNoteText('parent', `added ${epic} as parent epic`);
export const childRemovedText = (issue: string): SystemNoteText =>
  createNoteText('child', `removed child issue ${issue}`);
export const parentRemovedText = (epic: string): SystemNoteText =>
  createNoteText('parent', `removed parent epic ${epic}`);

/** Builds the text for a link on an issue and, with `isReverse`, on the linked issue. */
const buildLinkText =
  (words: string) =>
  (issue: string, isReverse: boolean): SystemNoteText =>
    createNoteText(isReverse ? 'backlink' : 'link', `${words} ${issue}`);

/** Texts for the two issues of a link, with references relative to each. */
export const relatedToText = buildLinkText('marked this issue as related to');
export const blocksText = buildLinkText('marked this issue as blocking');
export const blockedByText = buildLinkText('marked this issue as blocked by');
export const relationRemovedText = buildLinkText('removed the relation with');

/** Text for a tag of a commit, with a link to the tag. */
export function taggedText(sha: string, tag: string, projectPath: string): SystemNoteText {
  const path = tag.split('/').map(encodeURIComponent).join('/');
  return createNoteText('tag', `tagged commit ${sha} to [\`${tag}\`](/${projectPath}/-/tags/${path})`);
}

/** Text for a duration such as `1h` and the day on which it was spent. */
export function timeSpentText(duration: string, day: string, subtracted = false): SystemNoteText {
  return createNoteText('time', `${subtracted ? 'subtracted' : 'added'} ${duration} of time spent at ${day}`);
}

export const TIME_SPENT_REMOVED_TEXT = createNoteText('time', 'removed time spent');

/** Text for a changed time estimate; null: removed. */
export function estimateChangedText(duration: string | null): SystemNoteText {
  return createNoteText('time', duration === null ? 'removed time estimate' : `changed time estimate to ${duration}`);
}

export const APPROVED_TEXT = createNoteText('approval', 'approved this merge request');
export const UNAPPROVED_TEXT = createNoteText('approval', 'unapproved this merge request');

/** Text for a thread that an issue continues. */
export const continuedInIssueText = (issue: string): SystemNoteText =>
  createNoteText('discussion', `created ${issue} to continue this discussion`);
export const ALL_THREADS_RESOLVED_TEXT = createNoteText('discussion', 'resolved all threads');
export const autoMergeEnabledText = (sha: string): SystemNoteText =>
  createNoteText('auto_merge', `enabled an automatic merge when all merge checks for ${sha} pass`);
export const AUTO_MERGE_CANCELED_TEXT = createNoteText('auto_merge', 'canceled the automatic merge');
export const autoMergeAbortedText = (reason: string): SystemNoteText =>
  createNoteText('auto_merge', `aborted the automatic merge because ${reason}`);
