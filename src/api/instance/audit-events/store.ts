import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { keyset, paged } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { AuditEntityType, AuditEventsTable } from '#database/tables/activity.ts';
import type { Page } from '#http/lists/page.ts';
import { type KeysetRule, keysetPage, type PageRequest } from '#http/lists/pagination.ts';

export type AuditRow = Selectable<AuditEventsTable>;

/** A part of the audit log. */
export interface AuditLog {
  /** Only of this one; null: everything. */
  readonly entity: { readonly type: AuditEntityType; readonly id: number } | null;
  /** Only what this user has done; null: everybody. */
  readonly authorId: number | null;
}

/** How the lists are walked by keyset (contract/conventions.md §6). */
export const AUDIT_KEYSET: KeysetRule = { orders: ['id desc'], by: 'cursor' };

/** What a list is narrowed to; the moments are in it. */
interface AuditFilter {
  readonly created_after?: string | null | undefined;
  readonly created_before?: string | null | undefined;
  readonly entity_type?: AuditEntityType | null | undefined;
  readonly entity_id?: number | null | undefined;
}

/** One page of the log, the latest event first. */
export async function listAuditEvents(
  db: Reader,
  log: AuditLog,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditRow>> {
  const query = narrowed(partOf(db, log), filter);
  if (page.kind === 'offset') return paged(db, query.orderBy('audit_events.id', 'desc'), page);
  const { sort: direction, perPage, after } = page;
  const rows = await keyset(query, 'audit_events.id', 'audit_events.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return keysetPage(page, rows.items, AUDIT_KEYSET);
}

export async function findAuditEvent(db: Reader, log: AuditLog, id: number): Promise<AuditRow | null> {
  // index: audit_events primary key
  return (await partOf(db, log).where('audit_events.id', '=', id).executeTakeFirst()) ?? null;
}

type Events = SelectQueryBuilder<Schema, 'audit_events', AuditRow>;

// index: audit_events primary key, audit_events_by_entity, audit_events_by_author
function partOf(db: Reader, { entity, authorId }: AuditLog): Events {
  let events: Events = db.selectFrom('audit_events').selectAll();
  if (entity !== null) {
    events = events.where('entity_type', '=', entity.type).where('entity_id', '=', entity.id);
  }
  return authorId === null ? events : events.where('author_id', '=', authorId);
}

// index: audit_events_by_kind, audit_events_by_entity, audit_events_by_created_at
function narrowed(query: Events, filter: AuditFilter): Events {
  let events = query;
  if (filter.entity_type) events = events.where('entity_type', '=', filter.entity_type);
  if (filter.entity_id != null) events = events.where('entity_id', '=', filter.entity_id);
  if (filter.created_after) events = events.where('created_at', '>=', filter.created_after);
  if (filter.created_before) events = events.where('created_at', '<=', filter.created_before);
  return events;
}

// index: users primary key
const emailRows = prepareForIds((db, ids) => db.selectFrom('users').select(['id', 'email']).where('id', 'in', ids));

/** The present addresses of those who acted; somebody who is gone has none. */
export async function authorEmails(db: Reader, events: readonly AuditRow[]): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(events.map(({ author_id }) => author_id))];
  const rows = await emailRows(db, ids);
  return new Map(rows.map(({ id, email }) => [id, email]));
}
