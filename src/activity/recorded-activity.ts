import type { Reader } from '#database/database.ts';
import type { ActivityEventName } from './activity-events.ts';
import type { AuditEventName } from './audit-events.ts';
import type { PushEventName } from './push-events.ts';
import type { ResourceEventName } from './resource-events.ts';
import type { SystemNoteName } from './system-notes.ts';

/**
 * Names in an endpoint's `activity`: `closed Issue`, `pushed to branch`, `state closed`, `note title`,
 * `member_created`.
 */
export type RecordedEventName = ActivityEventName | PushEventName | ResourceEventName | SystemNoteName | AuditEventName;

/** The largest id of each table at one point in time: later events have larger ids. */
type RecordedEventsMark = Readonly<Record<RecordedTable, number>>;

const TABLES = [
  'activity_events',
  'resource_state_events',
  'resource_milestone_events',
  'resource_label_events',
  'resource_weight_events',
  'notes',
  'audit_events',
] as const;
type RecordedTable = (typeof TABLES)[number];

/** For tests: marks the current end of all recorded events. */
export async function markRecordedEvents(db: Reader): Promise<RecordedEventsMark> {
  const marks: [RecordedTable, number][] = [];
  for (const table of TABLES) {
    const last = await db.selectFrom(table).select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
    marks.push([table, last?.id ?? 0]);
  }
  return Object.fromEntries(marks) as RecordedEventsMark;
}

/**
 * For tests: returns a name for each event recorded after the mark: activity events, resource events, system notes,
 * audit events, each in order of id.
 */
export async function listRecordedSince(db: Reader, mark: RecordedEventsMark): Promise<RecordedEventName[]> {
  const selectAfterMark = <Table extends RecordedTable>(table: Table) =>
    db
      .selectFrom(table as RecordedTable)
      .selectAll()
      .where('id', '>', mark[table])
      .orderBy('id');
  const loadRows = async (table: RecordedTable): Promise<Record<string, unknown>[]> => selectAfterMark(table).execute();
  return [
    ...(await loadRows('activity_events')).map((row) => toActivityName(row as unknown as NamedRow)),
    ...(await loadRows('resource_state_events')).map(({ state }) => `state ${state}` as RecordedEventName),
    ...(await loadRows('resource_milestone_events')).map(({ action }) => `milestone ${action}` as RecordedEventName),
    ...(await loadRows('resource_label_events')).map(({ action }) => `label ${action}` as RecordedEventName),
    ...(await loadRows('resource_weight_events')).map(() => 'weight' as const),
    ...(await loadRows('notes')).filter(({ system }) => system).map(({ kind }) => `note ${kind}` as RecordedEventName),
    ...(await loadRows('audit_events')).map(({ event_name }) => event_name as RecordedEventName),
  ];
}

interface NamedRow {
  readonly action: string;
  readonly action_name: string;
  readonly target_type: string | null;
  readonly ref_type: string | null;
}

function toActivityName({ action, action_name, target_type, ref_type }: NamedRow): ActivityEventName | PushEventName {
  if (action === 'pushed') return `${action_name} ${ref_type}` as PushEventName;
  return `${action_name === 'imported' ? 'imported' : action} ${target_type}` as ActivityEventName;
}
