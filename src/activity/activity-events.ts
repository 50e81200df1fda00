import type { Transaction } from '#database/database.ts';
import type {
  ActivityAction,
  ActivityActionName,
  ActivityTargetType,
  ImportedFrom,
} from '#database/tables/activity.ts';
import { insertActivity } from './store.ts';

/** A target that has a number of its own in the project. */
interface Numbered<Type extends ActivityTargetType> {
  readonly type: Type;
  readonly id: number;
  readonly iid: number;
}

/** Every activity but pushes (`recordPushEvents`): contract/activity.md, "What records an event". */
type Deed =
  | {
      readonly action: 'created' | 'closed' | 'reopened';
      readonly target: Numbered<'Issue' | 'MergeRequest' | 'Milestone'>;
    }
  | { readonly action: 'merged' | 'approved'; readonly target: Numbered<'MergeRequest'> }
  | { readonly action: 'destroyed'; readonly target: { readonly type: 'Milestone' } }
  /** A person's comment: in a thread a DiscussionNote, on a line of a diff a DiffNote. */
  | {
      readonly action: 'commented';
      readonly target: { readonly type: 'Note' | 'DiscussionNote' | 'DiffNote'; readonly id: number };
    }
  /** `joined`, `left` and `expired` are authored by the member, whoever did it. */
  | { readonly action: 'created' | 'joined' | 'left' | 'expired'; readonly target: { readonly type: 'Project' } }
  /** A page of the project's wiki. */
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

export type ActivityEvent = { readonly projectId: number; readonly authorId: number } & Deed;

/** What an endpoint's `records` calls these events: `closed Issue`, `commented Note`, `joined Project`. */
export type DeedName = NameOf<Deed>;
type NameOf<D extends Deed> = D extends unknown ? `${D['action']} ${D['target']['type']}` : never;

/** The activity event of a change, recorded in the change's own transaction. A change that changed nothing records none. */
export async function recordActivity(tx: Transaction, event: ActivityEvent): Promise<void> {
  await insertActivity(tx, event.projectId, [
    {
      author_id: event.authorId,
      action: event.action === 'imported' ? 'created' : event.action,
      action_name: actionName(event),
      ...targetOf(event),
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

function actionName({ action, target }: ActivityEvent): ActivityActionName {
  if (action === 'created') return target.type === 'Project' || target.type === 'WikiPage::Meta' ? 'created' : 'opened';
  return ACTION_NAMES[action];
}

function targetOf({ target, projectId }: ActivityEvent) {
  const id = target.type === 'Project' ? projectId : 'id' in target ? target.id : null;
  return { target_type: target.type, target_id: id, target_iid: 'iid' in target ? target.iid : id };
}
