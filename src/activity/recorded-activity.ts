import type { Reader } from '#database/database.ts';
import type { DeedName } from './activity-events.ts';
import type { AuditEventName } from './audit-event-names.ts';
import type { PushName } from './push-events.ts';
import type { ResourceEventName } from './resource-events.ts';
import type { SystemNoteName } from './system-notes.ts';

/** What an endpoint's `records` may name: `closed Issue`, `pushed to branch`, `state closed`, `note title`, `member_created`. */
export type HistoryName = DeedName | PushName | ResourceEventName | SystemNoteName | AuditEventName;

/** A place in the history: what comes later was recorded later. */
export type HistoryMark = Readonly<Record<HistoryTable, number>>;

const TABLES = [
  'activity_events',
  'resource_state_events',
  'resource_milestone_events',
  'resource_label_events',
  'resource_weight_events',
  'notes',
  'audit_events',
] as const;
type HistoryTable = (typeof TABLES)[number];

/** For tests: the present end of the history. */
export async function markHistory(db: Reader): Promise<HistoryMark> {
  const marks: [HistoryTable, number][] = [];
  for (const table of TABLES) {
    const last = await db.selectFrom(table).select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
    marks.push([table, last?.id ?? 0]);
  }
  return Object.fromEntries(marks) as HistoryMark;
}

/**
 * For tests: what was recorded after a mark, activity first, then steps of states, milestones, labels and weights, system notes and audit,
 * each in its order; a name for each row.
 */
export async function recordedSince(db: Reader, mark: HistoryMark): Promise<HistoryName[]> {
  const since = <Table extends HistoryTable>(table: Table) =>
    db
      .selectFrom(table as HistoryTable)
      .selectAll()
      .where('id', '>', mark[table])
      .orderBy('id');
  const rows = async (table: HistoryTable): Promise<Record<string, unknown>[]> => since(table).execute();
  return [
    ...(await rows('activity_events')).map((row) => activityName(row as unknown as NamedRow)),
    ...(await rows('resource_state_events')).map(({ state }) => `state ${state}` as HistoryName),
    ...(await rows('resource_milestone_events')).map(({ action }) => `milestone ${action}` as HistoryName),
    ...(await rows('resource_label_events')).map(({ action }) => `label ${action}` as HistoryName),
    ...(await rows('resource_weight_events')).map(() => 'weight' as const),
    ...(await rows('notes')).filter(({ system }) => system).map(({ kind }) => `note ${kind}` as HistoryName),
    ...(await rows('audit_events')).map(({ event_name }) => event_name as HistoryName),
  ];
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
