import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { isCommonSubstring } from '#database/search/common-substrings.ts';
import {
  containsSubstring,
  containsSubstringUnindexed,
  isTooShortForIndex,
} from '#database/search/substring-search.ts';
import type { ErrorStatus, ErrorTrackingTables } from '#database/tables/error-tracking.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Errors as they are listed and read alone. */

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

type Stored = Pick<Selectable<ErrorTrackingTables['errors']>, (typeof COLUMNS)[number]>;

/** With the path of its project, under which it is found in a browser. */
export interface ErrorRow extends Stored {
  readonly full_path: string;
}

type Home = Pick<Project, 'id' | 'full_path'>;

const inHome = (row: Stored, { full_path }: Home): ErrorRow => ({ ...row, full_path });

/** What each order of the list goes by: the newest, or the most, first. */
const SORTED = { last_seen: 'last_seen', first_seen: 'first_seen', frequency: 'event_count' } as const;

export const SORTS = Object.keys(SORTED) as (keyof typeof SORTED)[];

interface Wanted {
  readonly status: ErrorStatus;
  readonly sort: keyof typeof SORTED;
  /** A part of what it is called, says or where it happened. */
  readonly search?: string | null | undefined;
}

const SEARCHED = ['name_key', 'message_key', 'culprit_key'] as const;

/** One page of a project's errors. */
export async function listErrors(
  db: Reader,
  project: Home,
  wanted: Wanted,
  page: OffsetRequest,
): Promise<Page<ErrorRow>> {
  const rare = await isRare(db, wanted.search);
  const errors = errorsOf(db, project.id, { ...wanted, rare });
  const found = await paginate(db, errors, page, rare ? 'inPageQuery' : undefined);
  return { ...found, items: found.items.map((row) => inHome(row, project)) };
}

/** Whether so few errors say it that the index of parts tells which; others are looked through in the list's order. */
async function isRare(db: Reader, search: Wanted['search']): Promise<boolean> {
  if (search == null) return false;
  const part = foldCase(search);
  return !isTooShortForIndex(part) && !(await isCommonSubstring(db, 'errors', SEARCHED, part));
}

/**
 * The same as a query. index: errors_by_last_seen, errors_by_first_seen, errors_by_event_count; on SQLite
 * errors_name_key_message_key_culprit_key_trigrams
 */
export function errorsOf(
  db: Reader,
  projectId: number,
  { status, sort, search, rare = false }: Wanted & { readonly rare?: boolean },
) {
  const all = db.selectFrom('errors').select(COLUMNS).where('project_id', '=', projectId).where('status', '=', status);
  const part = foldCase(search ?? '');
  const says = rare
    ? containsSubstring(db, 'errors', SEARCHED, part)
    : containsSubstringUnindexed('errors', SEARCHED, part);
  const some = search == null ? all : all.where(says);
  return some.orderBy(SORTED[sort], 'desc').orderBy('id', 'desc');
}

/** A project's error of this id; null where there is none. index: errors primary key */
export async function findError(db: Reader, project: Home, id: number): Promise<ErrorRow | null> {
  const found = db.selectFrom('errors').select(COLUMNS).where('id', '=', id).where('project_id', '=', project.id);
  const row = await found.executeTakeFirst();
  return row === undefined ? null : inHome(row, project);
}

/** Says how it stands with an error; null when it has gone. index: errors primary key */
export async function setStatus(tx: Transaction, error: ErrorRow, status: ErrorStatus): Promise<ErrorRow | null> {
  const changed = tx.updateTable('errors').set({ status }).where('id', '=', error.id).returning(COLUMNS);
  const row = await changed.executeTakeFirst();
  return row === undefined ? null : inHome(row, error);
}

/** Of the environments in which an error happens, which senders name as they like, so many are shown. */
const MOST_ENVIRONMENTS = 1000;

// index: error_environments primary key
const environmentNames = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_environments')
    .select('environment')
    .where('error_id', '=', value('error'))
    .orderBy('environment')
    .limit(MOST_ENVIRONMENTS),
);

/** Where an error has happened, by name. */
export async function environmentsOf(db: Reader, errorId: number): Promise<string[]> {
  return (await environmentNames(db, { error: errorId })).map(({ environment }) => environment);
}

// index: error_hours primary key
const hoursSince = prepare((db, value: Params<{ error: number; hour: number }>) =>
  db
    .selectFrom('error_hours')
    .select(['hour', 'event_count'])
    .where('error_id', '=', value('error'))
    .where('hour', '>=', value('hour')),
);

/** How often an error has happened in each hour, that of `hour` and later ones, by the second in which these began. */
export async function countsSince(db: Reader, errorId: number, hour: number): Promise<ReadonlyMap<number, number>> {
  const rows = await hoursSince(db, { error: errorId, hour });
  return new Map(rows.map((row) => [row.hour, row.event_count]));
}
