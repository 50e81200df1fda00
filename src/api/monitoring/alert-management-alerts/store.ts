import { type Selectable, sql } from 'kysely';
import { findUserByUsername } from '#authentication/users/users.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { AlertStatus, Schema } from '#database/schema.ts';
import { containsWordsUnindexed } from '#database/search/word-search.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

// Queries that list, count and get alerts.

const ALERT_COLUMNS = [
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

type StoredAlertRow = Pick<Selectable<Schema['alerts']>, (typeof ALERT_COLUMNS)[number]>;

/** An alert with the full path of its project, which its web URL contains. */
export interface AlertRow extends StoredAlertRow {
  readonly full_path: string;
}

type AlertProject = Pick<Project, 'id' | 'full_path'>;

const withProjectPath = (row: StoredAlertRow, { full_path }: AlertProject): AlertRow => ({ ...row, full_path });

/** Sort fields and their columns. */
const SORT_COLUMNS = {
  started_at: 'started_at',
  ended_at: 'ended_at',
  created_at: 'created_at',
  updated_at: 'updated_at',
  event_count: 'event_count',
  severity: 'severity_rank',
  status: 'status_rank',
} as const;

type AlertSortField = keyof typeof SORT_COLUMNS;
type AlertSort = `${AlertSortField}_${'asc' | 'desc'}`;

/** The values of the parameter `sort`, such as `started_at_desc`. */
export const ALERT_SORTS = Object.keys(SORT_COLUMNS).flatMap((name) => [`${name}_asc`, `${name}_desc`]) as AlertSort[];

interface AlertFilter {
  /** Words that must all occur in the same column of `SEARCH_COLUMNS`. */
  readonly search?: string | null | undefined;
  /** Null or undefined: any assignee or none. */
  readonly assigneeId?: number | null | undefined;
}

interface AlertListFilter extends AlertFilter {
  /** Empty: all statuses. */
  readonly status: readonly AlertStatus[];
  readonly sort: AlertSort;
}

const SEARCH_COLUMNS = ['title_key', 'description_key', 'monitoring_tool_key', 'service_key'];

function filterAlerts(db: Reader, projectId: number, { search, assigneeId }: AlertFilter) {
  const alerts = db.selectFrom('alerts').where('alerts.project_id', '=', projectId);
  const assignedAlerts = assigneeId == null ? alerts : alerts.where('alerts.assignee_id', '=', assigneeId);
  const words = [...new Set(foldCase(search ?? '').split(/\s+/))].filter((word) => word !== '');
  return words.length === 0
    ? assignedAlerts
    : assignedAlerts.where(containsWordsUnindexed(db, 'alerts', SEARCH_COLUMNS, words));
}

interface AlertFilterParams {
  readonly search?: string | null | undefined;
  readonly assignee_username?: string | null | undefined;
}

/** Returns the filter, or null if no user has the assignee's username. */
async function resolveFilter(
  db: Reader,
  { search, assignee_username: username }: AlertFilterParams,
): Promise<AlertFilter | null> {
  if (username == null) return { search };
  const assignee = await findUserByUsername(db, username);
  return assignee === null ? null : { search, assigneeId: assignee.id };
}

/** Returns one page of a project's alerts; without `status`, alerts of all statuses. */
export async function listAlertPage(
  db: Reader,
  project: AlertProject,
  {
    status,
    sort,
    ...filterParams
  }: AlertFilterParams &
    Pick<AlertListFilter, 'sort'> & { readonly status?: readonly AlertStatus[] | null | undefined },
  page: OffsetRequest,
): Promise<Page<AlertRow>> {
  const filter = await resolveFilter(db, filterParams);
  if (filter === null) return { items: [], total: 0, hasMore: false };
  const result = await paginate(
    db,
    buildAlertListQuery(db, project.id, { ...filter, status: status ?? [], sort }),
    page,
  );
  return { ...result, items: result.items.map((row) => withProjectPath(row, project)) };
}

/**
 * Selects the alerts of a list. index: alerts_by_start, alerts_by_creation, alerts_by_update, alerts_by_event_count, alerts_by_severity,
 * alerts_by_status, alerts_by_end_asc, alerts_by_end_desc, alerts_by_assignee
 */
export function buildAlertListQuery(db: Reader, projectId: number, { status, sort, ...filter }: AlertListFilter) {
  const alerts = filterAlerts(db, projectId, filter).select(ALERT_COLUMNS.map((name) => `alerts.${name}` as const));
  const filteredAlerts = status.length === 0 ? alerts : alerts.where('alerts.status', 'in', status);
  const direction = sort.endsWith('_asc') ? 'asc' : 'desc';
  const column = SORT_COLUMNS[sort.slice(0, -direction.length - 1) as AlertSortField];
  if (column !== 'ended_at')
    return filteredAlerts.orderBy(`alerts.${column}`, direction).orderBy('alerts.id', direction);
  // Nulls are last in both directions.
  const nullsLast = direction === 'asc' ? sql`ended_at is null` : sql`ended_at is not null`;
  return filteredAlerts
    .orderBy(nullsLast, direction)
    .orderBy('alerts.ended_at', direction)
    .orderBy('alerts.id', direction);
}

/** Returns the number of a project's alerts by status, and the number of open ones. */
export async function countAlertsByStatus(db: Reader, project: Pick<Project, 'id'>, filterParams: AlertFilterParams) {
  const filter = await resolveFilter(db, filterParams);
  const rows = filter === null ? [] : await buildStatusCountsQuery(db, project.id, filter).execute();
  const getCount = (status: AlertStatus) => rows.find((row) => row.status === status)?.count ?? 0;
  const countsByStatus = {
    triggered: getCount('triggered'),
    acknowledged: getCount('acknowledged'),
    resolved: getCount('resolved'),
    ignored: getCount('ignored'),
  };
  const open = countsByStatus.triggered + countsByStatus.acknowledged;
  return { ...countsByStatus, open, all: open + countsByStatus.resolved + countsByStatus.ignored };
}

/** Selects the number of alerts by status. index: alerts_by_project, alerts_by_assignee */
export function buildStatusCountsQuery(db: Reader, projectId: number, filter: AlertFilter) {
  const countQuery = filterAlerts(db, projectId, filter).select((eb) => [
    'status',
    eb.fn.countAll<number>().as('count'),
  ]);
  return countQuery.groupBy('status').modifyEnd(LONG_RUNNING);
}

/** Returns the project's alert with this iid, or null. index: alerts_by_iid */
export async function findAlert(db: Reader, project: AlertProject, iid: number): Promise<AlertRow | null> {
  const query = db
    .selectFrom('alerts')
    .select(ALERT_COLUMNS)
    .where('project_id', '=', project.id)
    .where('iid', '=', iid);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : withProjectPath(row, project);
}

/** Loads the columns that only a single alert's response contains. index: alerts primary key */
export const loadAlertDetails = prepareForIds((db, ids) =>
  db.selectFrom('alerts').select(['id', 'payload', 'metric_query', 'y_label']).where('id', 'in', ids),
);

/** Loads the iids of issues. index: issues primary key */
export const loadIssueIids = prepareForIds((db, ids) =>
  db.selectFrom('issues').select(['id', 'iid']).where('id', 'in', ids),
);

/** Sets or, with null, removes the assignee of an alert. index: alerts primary key */
export async function setAssignee(tx: Transaction, id: number, assigneeId: number | null): Promise<void> {
  await tx.updateTable('alerts').set({ assignee_id: assigneeId, updated_at: tx.now }).where('id', '=', id).execute();
}

const NOTE_COLUMNS = ['id', 'alert_id', 'author_id', 'body', 'system', 'created_at', 'updated_at'] as const;

/** A note with the iid of its alert. */
export interface AlertNoteRow extends Pick<Selectable<Schema['alert_notes']>, (typeof NOTE_COLUMNS)[number]> {
  readonly alert_iid: number;
}

/** Returns one page of the notes on an alert. */
export async function listNotes(
  db: Reader,
  { id, iid }: Pick<AlertRow, 'id' | 'iid'>,
  sort: 'asc' | 'desc',
  page: OffsetRequest,
): Promise<Page<AlertNoteRow>> {
  const result = await paginate(db, buildNotesQuery(db, id, sort), page);
  return { ...result, items: result.items.map((row) => ({ ...row, alert_iid: iid })) };
}

/** Selects the notes on an alert. index: alert_notes_by_alert */
export function buildNotesQuery(db: Reader, alertId: number, sort: 'asc' | 'desc') {
  const notes = db.selectFrom('alert_notes').select(NOTE_COLUMNS).where('alert_id', '=', alertId);
  return notes.orderBy('created_at', sort).orderBy('id', sort);
}

/** Creates a user's note on an alert. */
export async function insertNote(
  tx: Transaction,
  { id, iid }: Pick<AlertRow, 'id' | 'iid'>,
  { authorId, body }: { readonly authorId: number; readonly body: string },
): Promise<AlertNoteRow> {
  const timestamps = { created_at: tx.now, updated_at: tx.now };
  const row = await tx
    .insertInto('alert_notes')
    .values({ alert_id: id, author_id: authorId, body, system: false, ...timestamps })
    .returning(NOTE_COLUMNS)
    .executeTakeFirstOrThrow();
  return { ...row, alert_iid: iid };
}
