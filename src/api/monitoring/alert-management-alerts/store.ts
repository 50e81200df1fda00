import { type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { longRunning } from '#database/engines/long-statements.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { containsWordsUnindexed } from '#database/search/word-search.ts';
import type { AlertStatus, MonitoringTables } from '#database/tables/alerts.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Alerts as they are listed, counted and read alone. */

const COLUMNS = [
  'id',
  'iid',
  'project_id',
  'title',
  'description',
  'severity',
  'status',
  'service',
  'monitoring_tool',
  'hosts',
  'started_at',
  'ended_at',
  'event_count',
  'fingerprint',
  'environment_id',
  'runbook',
  'issue_id',
  'assignee_id',
  'created_at',
  'updated_at',
] as const;

type Stored = Pick<Selectable<MonitoringTables['alerts']>, (typeof COLUMNS)[number]>;

/** With the path of its project, under which it is found in a browser. */
export interface AlertRow extends Stored {
  readonly full_path: string;
}

type Home = Pick<Project, 'id' | 'full_path'>;

const inHome = (row: Stored, { full_path }: Home): AlertRow => ({ ...row, full_path });

/** What may be sorted by. */
const SORTED = {
  started_at: 'started_at',
  ended_at: 'ended_at',
  created_at: 'created_at',
  updated_at: 'updated_at',
  event_count: 'event_count',
  severity: 'severity_rank',
  status: 'status_rank',
} as const;

type SortedBy = keyof typeof SORTED;
type Sort = `${SortedBy}_${'asc' | 'desc'}`;

export const SORTS = Object.keys(SORTED).flatMap((name) => [`${name}_asc`, `${name}_desc`]) as Sort[];

export interface Narrowing {
  /** Words, each of which must be in one and the same of the texts that are searched. */
  readonly search?: string | null | undefined;
  /** Null: of nobody; undefined: of anybody or nobody. */
  readonly assigneeId?: number | null | undefined;
}

interface Wanted extends Narrowing {
  readonly status: readonly AlertStatus[];
  readonly sort: Sort;
}

const SEARCHED = ['title_key', 'description_key', 'monitoring_tool_key', 'service_key'];

function narrowed(db: Reader, projectId: number, { search, assigneeId }: Narrowing) {
  const all = db.selectFrom('alerts').where('alerts.project_id', '=', projectId);
  const assigned = assigneeId == null ? all : all.where('alerts.assignee_id', '=', assigneeId);
  const words = [...new Set(foldCase(search ?? '').split(/\s+/))].filter((word) => word !== '');
  return words.length === 0 ? assigned : assigned.where(containsWordsUnindexed(db, 'alerts', SEARCHED, words));
}

/** One page of a project's alerts. */
export async function listAlerts(
  db: Reader,
  project: Home,
  wanted: Wanted,
  page: OffsetRequest,
): Promise<Page<AlertRow>> {
  const found = await paginate(db, alertsOf(db, project.id, wanted), page);
  return { ...found, items: found.items.map((row) => inHome(row, project)) };
}

/**
 * The same as a query. index: alerts_by_start, alerts_by_creation, alerts_by_update, alerts_by_event_count, alerts_by_severity,
 * alerts_by_status, alerts_by_end_asc, alerts_by_end_desc, alerts_by_assignee
 */
export function alertsOf(db: Reader, projectId: number, { status, sort, ...narrowing }: Wanted) {
  const all = narrowed(db, projectId, narrowing).select(COLUMNS.map((name) => `alerts.${name}` as const));
  const some = status.length === 0 ? all : all.where('alerts.status', 'in', status);
  const direction = sort.endsWith('_asc') ? 'asc' : 'desc';
  const column = SORTED[sort.slice(0, -direction.length - 1) as SortedBy];
  if (column !== 'ended_at') return some.orderBy(`alerts.${column}`, direction).orderBy('alerts.id', direction);
  // What has not ended comes last in both directions.
  const ended = direction === 'asc' ? sql`ended_at is null` : sql`ended_at is not null`;
  return some.orderBy(ended, direction).orderBy('alerts.ended_at', direction).orderBy('alerts.id', direction);
}

/** How many of a project's alerts stand how. index: alerts_by_project, alerts_by_assignee */
export async function countStatuses(
  db: Reader,
  projectId: number,
  narrowing: Narrowing,
): Promise<ReadonlyMap<AlertStatus, number>> {
  const rows = await countsOf(db, projectId, narrowing).execute();
  return new Map(rows.map(({ status, count }) => [status, count]));
}

/** The same as a query. */
export function countsOf(db: Reader, projectId: number, narrowing: Narrowing) {
  const counted = narrowed(db, projectId, narrowing).select((eb) => ['status', eb.fn.countAll<number>().as('count')]);
  return counted.groupBy('status').modifyEnd(longRunning);
}

/** A project's alert of this number; null where there is none. index: alerts_by_iid */
export async function findAlert(db: Reader, project: Home, iid: number): Promise<AlertRow | null> {
  const found = db.selectFrom('alerts').select(COLUMNS).where('project_id', '=', project.id).where('iid', '=', iid);
  const row = await found.executeTakeFirst();
  return row === undefined ? null : inHome(row, project);
}

/** What is shown of an alert that is read alone. index: alerts primary key */
export const detailsOf = prepareForIds((db, ids) =>
  db.selectFrom('alerts').select(['id', 'payload', 'metric_query', 'y_label']).where('id', 'in', ids),
);

/** The numbers of issues. index: issues primary key */
export const issueNumbers = prepareForIds((db, ids) =>
  db.selectFrom('issues').select(['id', 'iid']).where('id', 'in', ids),
);

/** index: alerts primary key */
export async function setAssignee(tx: Transaction, id: number, assigneeId: number | null): Promise<void> {
  await tx.updateTable('alerts').set({ assignee_id: assigneeId, updated_at: tx.now }).where('id', '=', id).execute();
}

const NOTE_COLUMNS = ['id', 'alert_id', 'author_id', 'body', 'system', 'created_at', 'updated_at'] as const;

/** With the alert that it is on. */
export interface AlertNoteRow extends Pick<Selectable<MonitoringTables['alert_notes']>, (typeof NOTE_COLUMNS)[number]> {
  readonly alert_iid: number;
}

/** One page of what was said on an alert. */
export async function listNotes(
  db: Reader,
  { id, iid }: Pick<AlertRow, 'id' | 'iid'>,
  sort: 'asc' | 'desc',
  page: OffsetRequest,
): Promise<Page<AlertNoteRow>> {
  const found = await paginate(db, notesOn(db, id, sort), page);
  return { ...found, items: found.items.map((row) => ({ ...row, alert_iid: iid })) };
}

/** The same as a query. index: alert_notes_by_alert */
export function notesOn(db: Reader, alertId: number, sort: 'asc' | 'desc') {
  const all = db.selectFrom('alert_notes').select(NOTE_COLUMNS).where('alert_id', '=', alertId);
  return all.orderBy('created_at', sort).orderBy('id', sort);
}

/** What somebody says on an alert. */
export async function insertNote(
  tx: Transaction,
  { id, iid }: Pick<AlertRow, 'id' | 'iid'>,
  { authorId, body }: { readonly authorId: number; readonly body: string },
): Promise<AlertNoteRow> {
  const moments = { created_at: tx.now, updated_at: tx.now };
  const row = await tx
    .insertInto('alert_notes')
    .values({ alert_id: id, author_id: authorId, body, system: false, ...moments })
    .returning(NOTE_COLUMNS)
    .executeTakeFirstOrThrow();
  return { ...row, alert_iid: iid };
}
