import { sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import type { PushAction, RefType } from '#database/schema.ts';
import { insertActivity } from './store.ts';

/** One ref changed by a push: contract/activity.md, "push_data". */
export interface PushChange {
  readonly refType: RefType;
  /** `pushed`: an existing ref was updated. */
  readonly action: PushAction;
  /** Ref name without `refs/heads/` or `refs/tags/`. */
  readonly ref: string;
  /** Previous commit; null if the ref was created. */
  readonly from: string | null;
  /** New commit; null if the ref was removed. */
  readonly to: string | null;
  readonly commitCount: number;
  /** Message or title of the newest commit; null if there is none. */
  readonly commitMessage: string | null;
}

export interface Push {
  readonly projectId: number;
  readonly authorId: number;
  /** All refs of one git push command or one API call. */
  readonly changes: readonly PushChange[];
  /** Maximum number of single events for each type and action: the setting `push_event_activities_limit`. */
  readonly limit: number;
}

/** Names of these events in an endpoint's `activity`. */
export type PushEventName = `${(typeof ACTION_NAMES)[PushAction]} ${RefType}`;

const ACTION_NAMES = { created: 'pushed new', pushed: 'pushed to', removed: 'deleted' } as const;

/** Records one event for each ref, or one for all refs of the same type and action if there are more than `limit`. */
export async function recordPushEvents(tx: Transaction, { projectId, authorId, changes, limit }: Push): Promise<void> {
  const groups = Map.groupBy(changes, ({ refType, action }) => `${action} ${refType}`);
  const rows = [...groups.values()].flatMap((group): PushRow[] =>
    group.length > limit ? [toBulkRow(group)] : group.map(toSingleRefRow),
  );
  await insertActivity(
    tx,
    projectId,
    rows.map((row) => ({
      ...row,
      author_id: authorId,
      action: 'pushed',
      action_name: ACTION_NAMES[row.push_action],
    })),
  );
}

/**
 * Returns the refs updated by pushes since a timestamp, with their previous commits. Pushes over `limit`, which have no
 * event per ref, are left out.
 */
export async function listPushedRefsSince(
  db: Reader,
  projectId: number,
  since: string,
): Promise<Pick<PushChange, 'refType' | 'ref' | 'from'>[]> {
  // index: activity_events_by_project_action
  const rows = await db
    .selectFrom('activity_events')
    .select(['ref_type', 'ref', 'commit_from'])
    .where('project_id', '=', projectId)
    .where('action', '=', sql.lit('pushed' as const))
    .where('created_at', '>=', since)
    .execute();
  return rows.flatMap(({ ref_type: refType, ref, commit_from: from }) =>
    refType === null || ref === null ? [] : [{ refType, ref, from }],
  );
}

interface PushRow
  extends Columns<'activity_events', 'commit_from' | 'commit_to' | 'ref' | 'commit_title' | 'ref_count'> {
  readonly push_action: PushAction;
  readonly ref_type: RefType;
  readonly commit_count: number;
}

function toSingleRefRow({ refType, action, ref, from, to, commitCount, commitMessage: message }: PushChange): PushRow {
  return {
    push_action: action,
    ref_type: refType,
    commit_count: commitCount,
    commit_from: from,
    commit_to: to,
    ref,
    commit_title: message === null ? null : toCommitTitle(message),
    ref_count: null,
  };
}

function toBulkRow(group: readonly PushChange[]): PushRow {
  const { refType, action } = group[0]!;
  return {
    push_action: action,
    ref_type: refType,
    commit_count: 0,
    commit_from: null,
    commit_to: null,
    ref: null,
    commit_title: null,
    ref_count: group.length,
  };
}

const MAX_TITLE_LENGTH = 70;

/** Returns the first line of a commit message. A line over 70 characters is cut to 67 and `...`. */
export function toCommitTitle(message: string): string {
  const line = message.trim().split('\n', 1)[0]!.trimEnd();
  // Some tools write NUL characters into commit messages, which PostgreSQL rejects.
  const title = line.replaceAll('\0', '');
  // The length is limited before the split into characters, because a line may be megabytes long.
  const characters = [...title.slice(0, 2 * (MAX_TITLE_LENGTH + 1))];
  return characters.length > MAX_TITLE_LENGTH ? `${characters.slice(0, MAX_TITLE_LENGTH - 3).join('')}...` : title;
}
