import { randomUUID } from 'node:crypto';
import {
  createPasswordLinkToken,
  findPasswordLinkRecipient,
  PASSWORD_LINK_LIFETIME_MS,
  type PasswordLinkRecipient,
} from '#authentication/users/password-links.ts';
import type { Config } from '#config.ts';
import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { markup } from '#http/pages/html-page.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { buildMessageId, getUrlHost, type Mail } from '#mail/mailer.ts';
import { hashToken } from '#security/tokens.ts';

// The mail with a one-time link that sets a password. Its token is never stored: each attempt to send it creates another one.

/** Returns whether this server can send a link to a user. */
export const canSendPasswordLinks = ({ mail }: Pick<Config, 'mail'>): boolean => mail.delivery === 'smtp';

type LinkServices = Pick<Services, 'config' | 'database' | 'clock' | 'mailer' | 'metrics' | 'log' | 'serverUrl'>;

interface LinkRequest {
  /** The address that somebody has entered: there may be no such user. */
  readonly address: string;
  /** Whether an administrator has just created the account. */
  readonly isNewAccount: boolean;
}

const MAX_ATTEMPTS = 6;

/** Sends the mail to the primary address of the user with this address, if there is one. */
export const sendPasswordLink = defineJob({
  kind: 'send_password_link',
  isExternal: true,
  maxAttempts: MAX_ATTEMPTS,
  async handle(services: LinkServices, { address, isNewAccount }: LinkRequest, { attempt }) {
    const { config, database, clock, mailer, metrics, log, serverUrl } = services;
    const recipient = await findPasswordLinkRecipient(database.reader, address);
    if (recipient === null || !canSendPasswordLinks(config)) return;
    const token = await database.transaction((tx) => createPasswordLinkToken(tx, recipient.id));
    const link = { baseUrl: serverUrl(), token, isNewAccount };
    const outcome = await mailer.send(composeMail(recipient, link, clock.now()));
    if (outcome.sent) return metrics.recordMails('sent', 1);
    const isLast = outcome.final || attempt >= MAX_ATTEMPTS;
    metrics.recordMails(isLast ? 'failed' : 'retried', 1);
    if (!outcome.final) throw new Error(`The mail with a link to set a password was not sent: ${outcome.error}`);
    log.warn(
      { user_id: recipient.id, username: recipient.username, error: outcome.error },
      'The mail server rejects the mail with a link to set a password; check the address of the user',
    );
  },
});

/** Enqueues the mail. Costs the same whether or not there is such a user, so that a response does not reveal it. */
export function enqueuePasswordLink(tx: Transaction, { address, isNewAccount }: LinkRequest): Promise<void> {
  return enqueue(tx, sendPasswordLink, { address, isNewAccount }, { key: hashToken(foldCase(address)) });
}

interface PasswordLink {
  readonly baseUrl: string;
  readonly token: string;
  readonly isNewAccount: boolean;
}

const LIFETIME_HOURS = PASSWORD_LINK_LIFETIME_MS / 3_600_000;

function composeMail(
  { username, name, email }: PasswordLinkRecipient,
  { baseUrl, token, isNewAccount }: PasswordLink,
  date: Date,
): Mail {
  const host = getUrlHost(baseUrl);
  const url = `${baseUrl}/users/password/edit?reset_password_token=${token}`;
  const newLinkUrl = `${baseUrl}/users/password/new`;
  const reason = isNewAccount
    ? `An administrator created the account ${username} on ${baseUrl} for you. This link sets your password:`
    : `Somebody, probably you, asked for a new password of the account ${username} on ${baseUrl}. This link sets it:`;
  const validity = `It works once, for ${LIFETIME_HOURS} hours.`;
  const advice = isNewAccount
    ? 'If it has expired, request another one:'
    : 'If you did not ask for it, ignore this mail: your password stays as it is. Another link:';
  return {
    to: email,
    subject: isNewAccount ? `Your account on ${host}` : `A new password for ${host}`,
    messageId: buildMessageId(`password_${randomUUID()}`, host),
    inReplyTo: null,
    date,
    text: `Hello ${name},\n\n${reason}\n\n${url}\n\n${validity} ${advice}\n\n${newLinkUrl}\n`,
    html: markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"></head><body><p>Hello ${name},</p>
<p>${reason}</p>
<p><a href="${url}">Set a password</a></p>
<p>${validity} ${advice} <a href="${newLinkUrl}">${newLinkUrl}</a></p></body></html>
`.text,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
