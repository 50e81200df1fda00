import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { ErrorStatus, Schema } from '#database/schema.ts';
import { isTooShortForIndex } from '#database/search/substring-search.ts';
import { containsPart, containsWordsUnindexed, isCommonPart } from '#database/search/word-search.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

// Queries of errors.

const COLUMNS = [
  'id',
  'project_id',
  'fingerprint',
  'type',
  'name',
  'message',
  'culprit',
  'platform',
  'level',
  'status',
  'event_count',
  'user_count',
  'first_seen',
  'last_seen',
] as const;

type ErrorColumns = Pick<Selectable<Schema['errors']>, (typeof COLUMNS)[number]>;

/** An error with the path of its project, which its `web_url` contains. */
export interface ErrorRow extends ErrorColumns {
  readonly full_path: string;
}

type ErrorProject = Pick<Project, 'id' | 'full_path'>;

const withProjectPath = (row: ErrorColumns, { full_path }: ErrorProject): ErrorRow => ({ ...row, full_path });

/** Column of each sort order. Every order is descending. */
const SORT_COLUMNS = { last_seen: 'last_seen', first_seen: 'first_seen', frequency: 'event_count' } as const;

export const SORTS = Object.keys(SORT_COLUMNS) as (keyof typeof SORT_COLUMNS)[];

interface ErrorListFilter {
  readonly status: ErrorStatus;
  readonly sort: keyof typeof SORT_COLUMNS;
  /** Substring of the name, message or culprit. */
  readonly search?: string | null | undefined;
}

const SEARCH_COLUMNS = ['name_key', 'message_key', 'culprit_key'] as const;

/** Returns one page of a project's errors. */
export async function loadErrorPage(
  db: Reader,
  project: ErrorProject,
  filter: ErrorListFilter,
  page: OffsetRequest,
): Promise<Page<ErrorRow>> {
  const useSearchIndex = await isSelective(db, filter.search);
  const errors = buildErrorListQuery(db, project.id, { ...filter, useSearchIndex });
  const result = await paginate(db, errors, page, useSearchIndex ? 'countInPageQuery' : undefined);
  return { ...result, items: result.items.map((row) => withProjectPath(row, project)) };
}

/**
 * Returns whether so few errors match that the substring index should find them. If many errors match, the query
 * scans the list in its sort order instead.
 */
async function isSelective(db: Reader, search: ErrorListFilter['search']): Promise<boolean> {
  if (search == null) return false;
  const foldedSearch = foldCase(search);
  return !isTooShortForIndex(foldedSearch) && !(await isCommonPart(db, 'errors', SEARCH_COLUMNS, foldedSearch));
}

/**
 * Builds the query of `loadErrorPage`. index: errors_by_last_seen, errors_by_first_seen, errors_by_event_count; on SQLite
 * errors_name_key_message_key_culprit_key_trigrams
 */
export function buildErrorListQuery(
  db: Reader,
  projectId: number,
  { status, sort, search, useSearchIndex = false }: ErrorListFilter & { readonly useSearchIndex?: boolean },
) {
  const errorsWithStatus = db
    .selectFrom('errors')
    .select(COLUMNS)
    .where('project_id', '=', projectId)
    .where('status', '=', status);
  const foldedSearch = foldCase(search ?? '');
  const matches = useSearchIndex
    ? containsPart(db, 'errors', SEARCH_COLUMNS, foldedSearch)
    : containsWordsUnindexed(db, 'errors', SEARCH_COLUMNS, [foldedSearch]);
  const query = search == null ? errorsWithStatus : errorsWithStatus.where(matches);
  return query.orderBy(SORT_COLUMNS[sort], 'desc').orderBy('id', 'desc');
}

/** Returns the error of a project with this id, or null. index: errors primary key */
export async function findError(db: Reader, project: ErrorProject, id: number): Promise<ErrorRow | null> {
  const query = db.selectFrom('errors').select(COLUMNS).where('id', '=', id).where('project_id', '=', project.id);
  const row = await query.executeTakeFirst();
  return row === undefined ? null : withProjectPath(row, project);
}

/** Updates the status of an error; returns null if the error was deleted. index: errors primary key */
export async function updateStatus(tx: Transaction, error: ErrorRow, status: ErrorStatus): Promise<ErrorRow | null> {
  const updateQuery = tx.updateTable('errors').set({ status }).where('id', '=', error.id).returning(COLUMNS);
  const row = await updateQuery.executeTakeFirst();
  return row === undefined ? null : withProjectPath(row, error);
}

/** Maximum number of environments returned per error; senders may use any number of names. */
const MAX_ENVIRONMENTS = 1000;

// index: error_environments primary key
const listEnvironmentRows = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_environments')
    .select('environment')
    .where('error_id', '=', value('error'))
    .orderBy('environment')
    .limit(MAX_ENVIRONMENTS),
);

/** Returns the environments in which an error occurred, ordered by name. */
export async function listEnvironments(db: Reader, errorId: number): Promise<string[]> {
  return (await listEnvironmentRows(db, { error: errorId })).map(({ environment }) => environment);
}

// index: error_hours primary key
const listHourRows = prepare((db, value: Params<{ error: number; hour: number }>) =>
  db
    .selectFrom('error_hours')
    .select(['hour', 'event_count'])
    .where('error_id', '=', value('error'))
    .where('hour', '>=', value('hour')),
);

/** Returns the number of events per hour from `hour` on. Hours are Unix seconds of their start. */
export async function loadHourlyCounts(
  db: Reader,
  errorId: number,
  hour: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await listHourRows(db, { error: errorId, hour });
  return new Map(rows.map((row) => [row.hour, row.event_count]));
}

// Events of an error. Payloads and tags are loaded separately, because a payload may be a mebibyte long.

const EVENT_COLUMNS = [
  'id',
  'error_id',
  'event_id',
  'type',
  'level',
  'message',
  'environment',
  'release',
  'logger',
  'platform',
  'affected_user',
  'occurred_at',
  'received_at',
] as const;

export type EventRow = Pick<Selectable<Schema['error_events']>, (typeof EVENT_COLUMNS)[number]>;

/**
 * Loads payloads by event id. Long payloads are loaded only when the response is sent (`mapLazyText`).
 * index: error_events primary key
 */
export const loadPayloads = createTextLoader('error_events', 'payload');

/** Loads tags by event id: up to 200 tags of 1024 characters. index: error_events primary key */
export const loadTags = createTextLoader('error_events', 'tags');

/** Returns one page of an error's events, ordered by the time they occurred. */
export function loadEventPage(
  db: Reader,
  errorId: number,
  sort: 'asc' | 'desc',
  page: OffsetRequest,
): Promise<Page<EventRow>> {
  return paginate(db, buildEventListQuery(db, errorId, sort), page);
}

/** Builds the query of `loadEventPage`. index: error_events_by_error */
export function buildEventListQuery(db: Reader, errorId: number, sort: 'asc' | 'desc') {
  const events = db.selectFrom('error_events').select(EVENT_COLUMNS).where('error_id', '=', errorId);
  return events.orderBy('occurred_at', sort).orderBy('id', sort);
}

// index: error_events_by_error
const findNewestEventRow = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_events')
    .select(EVENT_COLUMNS)
    .where('error_id', '=', value('error'))
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** Returns the event of an error that occurred last, or null if all events are deleted. */
export async function findLatestEvent(db: Reader, errorId: number): Promise<EventRow | null> {
  return (await findNewestEventRow.first(db, { error: errorId })) ?? null;
}

// index: error_events_by_error
const findOldestReleaseRow = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_events')
    .select('release')
    .where('error_id', '=', value('error'))
    .orderBy('occurred_at', 'asc')
    .orderBy('id', 'asc')
    .limit(1),
);

/** Returns the release of the oldest stored event; null if that event has no release or no event is stored. */
export async function findFirstRelease(db: Reader, errorId: number): Promise<string | null> {
  return (await findOldestReleaseRow.first(db, { error: errorId }))?.release ?? null;
}

/**
 * Returns the event with this id, or null if the error has none; the id `latest` selects the newest.
 * index: error_events_by_event_id
 */
export async function findEvent(
  db: Reader,
  error: { readonly id: number; readonly project_id: number },
  eventId: string,
): Promise<EventRow | null> {
  if (eventId === 'latest') return findLatestEvent(db, error.id);
  const query = db
    .selectFrom('error_events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', error.project_id)
    .where('event_id', '=', eventId.toLowerCase());
  const row = await query.executeTakeFirst();
  return row?.error_id === error.id ? row : null;
}
