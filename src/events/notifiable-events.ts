import type { ActivityEvent, Resource, StateEvent } from '#activity/index.ts';
import type { EmailEvent, MailEvent } from '#database/schema.ts';

/**
 * Something that users may be notified of by mail (contract/activity.md Part 5 "Who gets a mail"). `uow.record`
 * publishes it for activity events and state changes; code publishes the others itself.
 */
export interface NotifiableEvent {
  /** The mail event that users subscribe to. */
  readonly event: MailEvent;
  /** The subject of the event. The key is stored in queued jobs: never rename it. */
  readonly about: Resource | { readonly type: 'Note' | 'Project' | 'Pipeline' | 'Alert'; readonly id: number };
  /** Ids of previous assignees or reviewers, who are notified too. */
  readonly former?: readonly number[];
}

type ActivityKey = `${ActivityEvent['action']} ${'Issue' | 'MergeRequest' | 'Note' | 'DiscussionNote' | 'DiffNote'}`;

const EVENT_BY_ACTIVITY: { readonly [Key in ActivityKey]?: EmailEvent } = {
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

/** Epics have no activity events but state events. Their mails are those of issues. */
const EVENT_BY_EPIC_STATE: { readonly [State in StateEvent['state']]?: EmailEvent } = {
  closed: 'close_issue',
  opened: 'reopen_issue',
};

/** Returns the mail event of an activity event; null if there is none. */
export function toNotifiableActivityEvent({ action, target }: ActivityEvent): NotifiableEvent | null {
  const event = EVENT_BY_ACTIVITY[`${action} ${target.type}` as ActivityKey];
  if (event === undefined || !('id' in target)) return null;
  const type = event === 'new_note' ? 'Note' : (target.type as 'Issue' | 'MergeRequest');
  return { event, about: { type, id: target.id } };
}

/** Returns the mail event of a state change without an activity event; null if there is none. */
export function toNotifiableStateEvent({ stateOf, state }: StateEvent): NotifiableEvent | null {
  const event = stateOf.type === 'Epic' ? EVENT_BY_EPIC_STATE[state] : undefined;
  return event === undefined ? null : { event, about: stateOf };
}
