import type { Reader } from '../database/database.ts';
import type { DeedName } from './activity.ts';
import type { AuditEventName } from './audit-names.ts';
import type { PushName } from './push.ts';

/** What an endpoint's `records` may name: `closed Issue`, `pushed to branch`, `member_created`. */
export type HistoryName = DeedName | PushName | AuditEventName;

/** A place in the history: what comes later was recorded later. */
export interface HistoryMark {
  readonly activity: number;
  readonly audit: number;
}

/** For tests: the present end of the history. */
export async function markHistory(db: Reader): Promise<HistoryMark> {
  const activity = await db
    .selectFrom('activity_events')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const audit = await db.selectFrom('audit_events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return { activity: activity?.id ?? 0, audit: audit?.id ?? 0 };
}

/** For tests: what was recorded after a mark, activity before audit, each in its order; a name for each row. */
export async function recordedSince(db: Reader, mark: HistoryMark): Promise<HistoryName[]> {
  const activity = await db
    .selectFrom('activity_events')
    .select(['action', 'action_name', 'target_type', 'ref_type'])
    .where('id', '>', mark.activity)
    .orderBy('id')
    .execute();
  const audit = await db
    .selectFrom('audit_events')
    .select('event_name')
    .where('id', '>', mark.audit)
    .orderBy('id')
    .execute();
  return [...activity.map(activityName), ...audit.map(({ event_name }) => event_name as AuditEventName)];
}

interface NamedRow {
  readonly action: string;
  readonly action_name: string;
  readonly target_type: string | null;
  readonly ref_type: string | null;
}

function activityName({ action, action_name, target_type, ref_type }: NamedRow): DeedName | PushName {
  if (action === 'pushed') return `${action_name} ${ref_type}` as PushName;
  return `${action_name === 'imported' ? 'imported' : action} ${target_type}` as DeedName;
}
