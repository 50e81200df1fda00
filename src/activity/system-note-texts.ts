import type { SystemNoteKind } from '#database/tables/notes.ts';
import { MONTHS } from '#runtime/clock.ts';

/** What system notes say, to the letter: clients read it (contract/planning.md §3.7). */
export interface SystemText {
  readonly kind: SystemNoteKind;
  readonly text: string;
}

const said = (kind: SystemNoteKind, text: string): SystemText => ({ kind, text });

/** What differs between the titles is marked: `changed title from **{-Old-} thing** to **{+New+} thing**`. */
export function titleChanged(from: string, to: string): SystemText {
  const [old, young] = [[...from], [...to]];
  const shorter = Math.min(old.length, young.length);
  let start = 0;
  while (start < shorter && old[start] === young[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  const marked = (title: readonly string[], sign: string) => {
    const changed = title.slice(start, title.length - end).join('');
    const part = changed === '' ? '' : `{${sign}${changed}${sign}}`;
    return `**${title.slice(0, start).join('')}${part}${title.slice(title.length - end).join('')}**`;
  };
  return said('title', `changed title from ${marked(old, '-')} to ${marked(young, '+')}`);
}

export const DESCRIPTION_CHANGED = said('description', 'changed the description');

/** Usernames, in the order in which they are named; one of the lists may be empty. */
export function assigneesChanged(added: readonly string[], removed: readonly string[]): SystemText {
  const parts = [
    ...(added.length > 0 ? [`assigned to ${sentence(added)}`] : []),
    ...(removed.length > 0 ? [`unassigned ${sentence(removed)}`] : []),
  ];
  return said('assignee', parts.join(' and '));
}

/** `@a`, `@a and @b`, `@a, @b, and @c` */
function sentence(usernames: readonly string[]): string {
  const names = usernames.map((name) => `@${name}`);
  if (names.length < 3) return names.join(' and ');
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}

/** `YYYY-MM-DD`, null for none. */
export function dueDateChanged(date: string | null): SystemText {
  if (date === null) return said('due_date', 'removed due date');
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  return said('due_date', `changed due date to ${MONTHS[month - 1]} ${day}, ${year}`);
}

/** What things are called in notes. */
export type ThingName = 'issue' | 'merge request' | 'epic';

export function confidentialityChanged(thing: ThingName, confidential: boolean): SystemText {
  return said(
    'confidential',
    confidential ? `made the ${thing} confidential` : `made the ${thing} visible to everyone`,
  );
}

export function lockChanged(thing: ThingName, locked: boolean): SystemText {
  return said('lock', `${locked ? 'locked' : 'unlocked'} the discussion in this ${thing}`);
}

/** Full references, `g/q#3`. */
export const movedTo = (reference: string): SystemText => said('moved_to', `moved to ${reference}`);
export const movedFrom = (reference: string): SystemText => said('moved_from', `moved from ${reference}`);

/** What mentions it, and its full reference. */
export const mentionedIn = (thing: ThingName, reference: string): SystemText =>
  said('mention', `mentioned in ${thing} ${reference}`);

/** What an epic is told of an issue, and the issue of the epic: full references. */
export const childAdded = (issue: string): SystemText => said('child', `added ${issue} as child issue`);
export const parentAdded = (epic: string): SystemText => said('parent', `added ${epic} as parent epic`);
export const childRemoved = (issue: string): SystemText => said('child', `removed child issue ${issue}`);
export const parentRemoved = (epic: string): SystemText => said('parent', `removed parent epic ${epic}`);

/** What is said of a link on an issue and, `back`, on the one that it was linked to. */
const ofLink =
  (words: string) =>
  (issue: string, back: boolean): SystemText =>
    said(back ? 'backlink' : 'link', `${words} ${issue}`);

/** What the two ends of a link of issues are told of each other: references as they are read there. */
export const relatedTo = ofLink('marked this issue as related to');
export const blocking = ofLink('marked this issue as blocking');
export const blockedBy = ofLink('marked this issue as blocked by');
export const relationRemoved = ofLink('removed the relation with');

/** A duration as people write it, `1h`, and the day it was spent on. */
export function timeSpent(duration: string, day: string, subtracted = false): SystemText {
  return said('time', `${subtracted ? 'subtracted' : 'added'} ${duration} of time spent at ${day}`);
}

export const TIME_SPENT_REMOVED = said('time', 'removed time spent');

/** Null: there is none any more. */
export function estimateChanged(duration: string | null): SystemText {
  return said('time', duration === null ? 'removed time estimate' : `changed time estimate to ${duration}`);
}

export const APPROVED = said('approval', 'approved this merge request');
export const UNAPPROVED = said('approval', 'unapproved this merge request');

/** Of a merge request. */
export const ALL_THREADS_RESOLVED = said('discussion', 'resolved all threads');
/** Of this head of a merge request. */
export const autoMergeEnabled = (sha: string): SystemText =>
  said('auto_merge', `enabled an automatic merge when all merge checks for ${sha} pass`);
export const AUTO_MERGE_CANCELED = said('auto_merge', 'canceled the automatic merge');
export const autoMergeAborted = (reason: string): SystemText =>
  said('auto_merge', `aborted the automatic merge because ${reason}`);
