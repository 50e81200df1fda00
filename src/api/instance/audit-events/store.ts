import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { paginate, paginateByKey } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { AuditEntityType } from '#database/schema.ts';
import { type KeysetRule, type ListPage, type PageRequest, toKeysetPage } from '#http/lists/pagination.ts';

/** A row of the audit log. */
export type AuditEventRow = Selectable<Schema['audit_events']>;

/** A part of the audit log. */
export interface AuditLog {
  /** The entity of the events; null for all. */
  readonly entity: { readonly type: AuditEntityType; readonly id: number } | null;
  /** The author of the events; null for all. */
  readonly authorId: number | null;
}

/** Keyset pagination of audit events (contract/conventions.md §6). */
export const AUDIT_KEYSET: KeysetRule = { orders: ['id desc'], cursorKind: 'opaque' };

/** Absent and null values do not restrict the list. Both timestamps are inclusive. */
interface AuditEventFilter {
  readonly created_after?: string | null | undefined;
  readonly created_before?: string | null | undefined;
  readonly entity_type?: AuditEntityType | null | undefined;
  readonly entity_id?: number | null | undefined;
}

/** Returns one page of the log, newest first. */
export async function listAuditEvents(
  db: Reader,
  log: AuditLog,
  filter: AuditEventFilter,
  page: PageRequest,
): Promise<ListPage<AuditEventRow>> {
  const query = applyFilter(selectLog(db, log), filter);
  if (page.kind === 'offset') return paginate(db, query.orderBy('audit_events.id', 'desc'), page);
  const { sort: direction, perPage, after } = page;
  const rows = await paginateByKey(query, 'audit_events.id', 'audit_events.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return toKeysetPage(page, rows.items, AUDIT_KEYSET);
}

/** Returns the event with this id, or null if the log does not contain it. */
export async function findAuditEvent(db: Reader, log: AuditLog, id: number): Promise<AuditEventRow | null> {
  // index: audit_events primary key
  return (await selectLog(db, log).where('audit_events.id', '=', id).executeTakeFirst()) ?? null;
}

type AuditEventQuery = SelectQueryBuilder<Schema, 'audit_events', AuditEventRow>;

/** Selects the events of a log. index: audit_events primary key, audit_events_by_entity, audit_events_by_author */
function selectLog(db: Reader, { entity, authorId }: AuditLog): AuditEventQuery {
  let events: AuditEventQuery = db.selectFrom('audit_events').selectAll();
  if (entity !== null) events = events.where('entity_type', '=', entity.type).where('entity_id', '=', entity.id);
  return authorId === null ? events : events.where('author_id', '=', authorId);
}

/** Restricts a query to the events that match the filter. index: audit_events_by_kind, audit_events_by_entity, audit_events_by_created_at */
function applyFilter(query: AuditEventQuery, filter: AuditEventFilter): AuditEventQuery {
  let events = query;
  if (filter.entity_type) events = events.where('entity_type', '=', filter.entity_type);
  if (filter.entity_id != null) events = events.where('entity_id', '=', filter.entity_id);
  if (filter.created_after) events = events.where('created_at', '>=', filter.created_after);
  if (filter.created_before) events = events.where('created_at', '<=', filter.created_before);
  return events;
}

// index: users primary key
const loadEmailRows = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'email']).where('id', 'in', ids));

/** Returns the current email addresses of authors by user id; deleted users have none. */
export async function loadAuthorEmails(
  db: Reader,
  events: readonly AuditEventRow[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(events.map(({ author_id }) => author_id))];
  const rows = await loadEmailRows(db, ids);
  return new Map(rows.map(({ id, email }) => [id, email]));
}
