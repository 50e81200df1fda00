import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { type AuditRow, authorEmails } from './store.ts';

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

/** With the present addresses of those who acted. */
export const AuditEvent = entity('AuditEvent', {
  id: Type.Integer(),
  /** -1 when no user acted. */
  author_id: Type.Integer(),
  entity_id: Type.Integer(),
  entity_type: text,
  event_name: text,
  details: Details,
  created_at: dateTime,
}).from(
  (events: readonly AuditRow[], { db }) => authorEmails(db, events),
  ({ id, author_id, entity_id, entity_type, event_name, details, created_at }, _to, emails) => ({
    id,
    author_id,
    entity_id,
    entity_type,
    event_name,
    details: { ...JSON.parse(details), author_email: emails.get(author_id) ?? null },
    created_at,
  }),
);
