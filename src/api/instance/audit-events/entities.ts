import { type Static, Type } from 'typebox';
import { moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import type { AuditRow } from './store.ts';

const text = Type.String();

/** What every event tells, and more by its kind (contract/activity.md Part 3). */
const Details = Type.Object(
  {
    event_name: text,
    author_name: text,
    author_class: text,
    target_id: nullable(Type.Integer()),
    target_type: text,
    target_details: text,
    custom_message: text,
    ip_address: nullable(text),
    entity_path: text,
    author_email: nullable(text),
  },
  { title: 'AuditEventDetails' },
);

export const AuditEvent = shape('AuditEvent', {
  id: Type.Integer(),
  /** -1 when no user acted. */
  author_id: Type.Integer(),
  entity_id: Type.Integer(),
  entity_type: text,
  event_name: text,
  details: Details,
  created_at: moment,
});

export function auditEvents(
  rows: readonly AuditRow[],
  emails: ReadonlyMap<number, string>,
): Static<typeof AuditEvent>[] {
  return rows.map(({ id, author_id, entity_id, entity_type, event_name, details, created_at }) => ({
    id,
    author_id,
    entity_id,
    entity_type,
    event_name,
    details: { ...JSON.parse(details), author_email: emails.get(author_id) ?? null },
    created_at,
  }));
}
