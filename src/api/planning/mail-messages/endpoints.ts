import { Type } from 'typebox';
import { MAIL_EVENTS, MAIL_STATES, MAIL_TARGETS } from '#database/schema.ts';
import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable, ok, page } from '#http/endpoint/responses.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { retryMail } from './delivery/changes.ts';
import { listMails } from './store.ts';

/** A mail as administrators see it, without its content (contract/activity.md Part 5). */
const MailMessage = entity('MailMessage', {
  id: Type.Integer(),
  state: Type.Enum([...MAIL_STATES], {
    description:
      '`held`: stored only, as mails are not sent; `skipped`: the recipient could no longer read the target.',
  }),
  event: Type.Enum([...MAIL_EVENTS]),
  reason: nullable(
    Type.String({ description: 'Null if only the notification settings of the recipient caused the mail.' }),
  ),
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

// Notification mails (contract/activity.md Part 5).

export const listMailMessages = endpoint({
  get: '/admin/mail_messages',
  summary: 'List mail messages',
  description:
    'Returns notification mails without their content, newest first. `HEARTH_MAIL_DELIVERY` decides whether mails are sent, only stored (`held`), or not written at all. Mails are deleted after 30 days.',
  access: administrator(),
  params: {
    recipient_id: optional(integer),
    project_id: optional(integer),
    event: optional(oneOf(...MAIL_EVENTS)),
    state: optional(oneOf(...MAIL_STATES)),
    target_type: optional(oneOf(...MAIL_TARGETS)),
    target_id: optional(integer),
  },
  response: page(MailMessage),
  read: (db, { params, page }) => listMails(db, params, page),
});

export const retryMailMessage = endpoint({
  post: '/admin/mail_messages/:id/retry',
  summary: 'Retry a failed mail message',
  description:
    'Queues the mail again with as many attempts as a new one. Only mails in the state `failed` can be retried.',
  access: administrator(),
  params: { id: required(integer) },
  errors: {
    notFound: [404, '404 Mail Message Not Found'],
    notFailed: [400, 'Only failed messages can be retried'],
  },
  response: ok(MailMessage),
  write: (uow, { params }) => retryMail(uow, params.id),
});
