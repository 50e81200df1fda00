import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { type AuditEventRow, loadAuthorEmails } from './store.ts';

const text = Type.String();

/** The details of an event; some depend on its kind (contract/activity.md Part 3). */
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

/** An audit event with the present email address of its author. */
export const AuditEvent = entity('AuditEvent', {
  id: Type.Integer(),
  /** -1 if the author is not a user. */
  author_id: Type.Integer(),
  entity_id: Type.Integer(),
  entity_type: text,
  event_name: text,
  details: Details,
  created_at: dateTime,
})
  .columns('id', 'author_id', 'entity_id', 'entity_type', 'event_name', 'created_at')
  .from(
    (events: readonly AuditEventRow[], { db }) => loadAuthorEmails(db, events),
    ({ author_id, details }, _context, emailsByAuthorId) => ({
      details: { ...JSON.parse(details), author_email: emailsByAuthorId.get(author_id) ?? null },
    }),
  );
