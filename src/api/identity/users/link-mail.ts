import { randomUUID } from 'node:crypto';
import type { Config } from '#config.ts';
import { Markup, markup } from '#http/pages/html-page.ts';
import type { Services } from '#http/services.ts';
import { buildMessageId, type Mail } from '#mail/mailer.ts';

// Mails with one-time links. They are sent immediately and never stored, because a link is a secret.

/** Returns whether this server can send a link to a user. */
export const canSendLinks = ({ mail }: Pick<Config, 'mail'>): boolean => mail.delivery === 'smtp';

/** Attempts of the jobs that send links. */
export const MAX_LINK_MAIL_ATTEMPTS = 6;

export type LinkMailServices = Pick<
  Services,
  'config' | 'database' | 'clock' | 'mailer' | 'metrics' | 'log' | 'serverUrl'
>;

interface LinkMailContent {
  readonly recipient: { readonly name: string; readonly address: string };
  readonly subject: string;
  /** The kind of the link in the id of the message. */
  readonly kind: 'confirmation' | 'password';
  /** The host of this server. */
  readonly host: string;
  readonly date: Date;
  /** The paragraphs after the salutation: as plain text, and the content of each `p` element. */
  readonly texts: readonly string[];
  readonly paragraphs: readonly Markup[];
}

/** Returns a mail with a salutation and these paragraphs. */
export function composeLinkMail({
  recipient: { name, address },
  subject,
  kind,
  host,
  date,
  texts,
  paragraphs,
}: LinkMailContent): Mail {
  const body = [markup`Hello ${name},`, ...paragraphs].map((content) => markup`<p>${content}</p>`.text).join('\n');
  return {
    to: address,
    subject,
    messageId: buildMessageId(`${kind}_${randomUUID()}`, host),
    inReplyTo: null,
    date,
    text: `${[`Hello ${name},`, ...texts].join('\n\n')}\n`,
    html: markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"></head><body>${new Markup(body)}</body></html>
`.text,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

interface LinkMailAttempt {
  readonly attempt: number;
  readonly recipient: { readonly id: number; readonly username: string };
  /** The purpose of the link in the text of the mail: `set a password`. */
  readonly purpose: string;
}

/** Sends a mail with a link. Throws if it should be tried again; logs an address that the mail server rejects. */
export async function sendLinkMail(
  { mailer, metrics, log }: Pick<LinkMailServices, 'mailer' | 'metrics' | 'log'>,
  mail: Mail,
  { attempt, recipient, purpose }: LinkMailAttempt,
): Promise<void> {
  const outcome = await mailer.send(mail);
  if (outcome.sent) return metrics.recordMails('sent', 1);
  const isLast = outcome.final || attempt >= MAX_LINK_MAIL_ATTEMPTS;
  metrics.recordMails(isLast ? 'failed' : 'retried', 1);
  if (!outcome.final) throw new Error(`The mail with a link to ${purpose} was not sent: ${outcome.error}`);
  log.warn(
    { user_id: recipient.id, username: recipient.username, error: outcome.error },
    `The mail server rejects the mail with a link to ${purpose}; check the address of the user`,
  );
}
