import type { ActivityEvent, Resource, StateEvent } from '#activity/index.ts';
import type { MailEvent } from '#database/tables/mail.ts';
import type { EmailEvent } from '#database/tables/notification-settings.ts';

/**
 * Something that users may be told of by mail (contract/activity.md Part 5 "Who gets a mail"). What the recorder hears
 * anyhow is told of by itself; all else is published by the act.
 */
export interface Occurrence {
  /** As which users choose to be told of it. */
  readonly event: MailEvent;
  readonly about: Resource | { readonly type: 'Note' | 'Project' | 'Pipeline' | 'Alert'; readonly id: number };
  /** Who had it before, and is told too: of a thing that is given to others. */
  readonly former?: readonly number[];
}

type Deed = `${ActivityEvent['action']} ${'Issue' | 'MergeRequest' | 'Note' | 'DiscussionNote' | 'DiffNote'}`;

const DEEDS: { readonly [D in Deed]?: EmailEvent } = {
  'created Issue': 'new_issue',
  'closed Issue': 'close_issue',
  'reopened Issue': 'reopen_issue',
  'created MergeRequest': 'new_merge_request',
  'closed MergeRequest': 'close_merge_request',
  'reopened MergeRequest': 'reopen_merge_request',
  'merged MergeRequest': 'merge_merge_request',
  'commented Note': 'new_note',
  'commented DiscussionNote': 'new_note',
  'commented DiffNote': 'new_note',
};

/** Epics have no activity in a feed, but steps of their state like all things; they are told of as issues are. */
const STEPS: { readonly [State in StateEvent['state']]?: EmailEvent } = {
  closed: 'close_issue',
  opened: 'reopen_issue',
};

/** What this activity is to users who are told by mail; null: nothing. */
export function occurrenceOfDeed({ action, target }: ActivityEvent): Occurrence | null {
  const event = DEEDS[`${action} ${target.type}` as Deed];
  if (event === undefined || !('id' in target)) return null;
  const type = event === 'new_note' ? 'Note' : (target.type as 'Issue' | 'MergeRequest');
  return { event, about: { type, id: target.id } };
}

/** The same of a step of a state that no activity tells of. */
export function occurrenceOfStep({ stateOf, state }: StateEvent): Occurrence | null {
  const event = stateOf.type === 'Epic' ? STEPS[state] : undefined;
  return event === undefined ? null : { event, about: stateOf };
}
