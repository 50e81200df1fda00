import type { Transaction } from '#database/database.ts';
import type { ActivityAction, ActivityActionName, ActivityTargetType, ImportedFrom } from '#database/schema.ts';
import { insertActivity } from './store.ts';

/** A target with an iid. */
interface NumberedTarget<Type extends ActivityTargetType> {
  readonly type: Type;
  readonly id: number;
  readonly iid: number;
}

/** All activity events except pushes (`recordPushEvents`): contract/activity.md, "What records an event". */
type ActivityChange =
  | {
      readonly action: 'created' | 'closed' | 'reopened';
      readonly target: NumberedTarget<'Issue' | 'MergeRequest' | 'Milestone'>;
    }
  | { readonly action: 'merged' | 'approved'; readonly target: NumberedTarget<'MergeRequest'> }
  | { readonly action: 'destroyed'; readonly target: { readonly type: 'Milestone' } }
  /** A comment by a user: DiscussionNote in a thread, DiffNote on a line of a diff. */
  | {
      readonly action: 'commented';
      readonly target: { readonly type: 'Note' | 'DiscussionNote' | 'DiffNote'; readonly id: number };
    }
  /** The author of `joined`, `left` and `expired` is the member, also if another user made the change. */
  | { readonly action: 'created' | 'joined' | 'left' | 'expired'; readonly target: { readonly type: 'Project' } }
  | {
      readonly action: 'created' | 'updated' | 'destroyed';
      readonly target: { readonly type: 'WikiPage::Meta'; readonly id: number };
    }
  /** Stored with the action `created`. */
  | {
      readonly action: 'imported';
      readonly target: { readonly type: 'Project' };
      readonly importedFrom: ImportedFrom;
    };

export type ActivityEvent = { readonly projectId: number; readonly authorId: number } & ActivityChange;

/** Names of these events in an endpoint's `activity`: `closed Issue`, `commented Note`, `joined Project`. */
export type ActivityEventName = NameOf<ActivityChange>;
type NameOf<Change extends ActivityChange> = Change extends unknown
  ? `${Change['action']} ${Change['target']['type']}`
  : never;

/** Records an activity event in the transaction of its change. Callers record nothing if nothing changed. */
export async function recordActivity(tx: Transaction, event: ActivityEvent): Promise<void> {
  await insertActivity(tx, event.projectId, [
    {
      author_id: event.authorId,
      action: event.action === 'imported' ? 'created' : event.action,
      action_name: toActionName(event),
      ...toTargetColumns(event),
      imported_from: event.action === 'imported' ? event.importedFrom : 'none',
    },
  ]);
}

const ACTION_NAMES = {
  closed: 'closed',
  reopened: 'opened',
  merged: 'accepted',
  approved: 'approved',
  destroyed: 'destroyed',
  updated: 'updated',
  commented: 'commented on',
  imported: 'imported',
  joined: 'joined',
  left: 'left',
  expired: 'removed due to membership expiration from',
} as const satisfies Partial<Record<ActivityAction | 'imported', ActivityActionName>>;

function toActionName({ action, target }: ActivityEvent): ActivityActionName {
  if (action === 'created') return target.type === 'Project' || target.type === 'WikiPage::Meta' ? 'created' : 'opened';
  return ACTION_NAMES[action];
}

function toTargetColumns({ target, projectId }: ActivityEvent) {
  const id = target.type === 'Project' ? projectId : 'id' in target ? target.id : null;
  return { target_type: target.type, target_id: id, target_iid: 'iid' in target ? target.iid : id };
}
