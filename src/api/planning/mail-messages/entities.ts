import { Type } from 'typebox';
import { MAIL_EVENTS, MAIL_STATES, MAIL_TARGETS } from '#database/schema.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';

/** A mail as administrators see it, without its content (contract/activity.md Part 5). */
export const MailMessage = entity('MailMessage', {
  id: Type.Integer(),
  state: Type.Enum([...MAIL_STATES]),
  event: Type.Enum([...MAIL_EVENTS]),
  reason: nullable(Type.String()),
  recipient_id: Type.Integer(),
  recipient_email: Type.String(),
  project_id: nullable(Type.Integer()),
  group_id: nullable(Type.Integer()),
  target_type: Type.Enum([...MAIL_TARGETS]),
  target_id: Type.Integer(),
  subject: Type.String(),
  message_id: Type.String(),
  in_reply_to: nullable(Type.String()),
  attempts: Type.Integer(),
  last_error: nullable(Type.String()),
  created_at: dateTime,
  sent_at: nullable(dateTime),
}).columns();
