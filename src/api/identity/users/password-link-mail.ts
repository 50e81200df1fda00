import {
  createPasswordLinkToken,
  findPasswordLinkRecipient,
  PASSWORD_LINK_LIFETIME_MS,
  type PasswordLinkRecipient,
} from '#authentication/users/password-links.ts';
import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { markup } from '#http/pages/html-page.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { getUrlHost, type Mail } from '#mail/mailer.ts';
import { hashToken } from '#security/tokens.ts';
import {
  canSendLinks,
  composeLinkMail,
  type LinkMailServices,
  MAX_LINK_MAIL_ATTEMPTS,
  sendLinkMail,
} from './link-mail.ts';

// The mail with a one-time link that sets a password. Its token is never stored: each attempt to send it creates another one.

interface LinkRequest {
  /** The address that somebody has entered: there may be no such user. */
  readonly address: string;
  /** Whether an administrator has just created the account. */
  readonly isNewAccount: boolean;
}

/** Sends the mail to the primary address of the user with this address, if there is one. */
export const sendPasswordLink = defineJob({
  kind: 'send_password_link',
  isExternal: true,
  maxAttempts: MAX_LINK_MAIL_ATTEMPTS,
  async handle(services: LinkMailServices, { address, isNewAccount }: LinkRequest, { attempt }) {
    const { config, database, clock, serverUrl } = services;
    const recipient = await findPasswordLinkRecipient(database.reader, address);
    if (recipient === null || !canSendLinks(config)) return;
    const token = await database.transaction((tx) => createPasswordLinkToken(tx, recipient.id));
    const link = { baseUrl: serverUrl(), token, isNewAccount };
    const mail = composeMail(recipient, link, clock.now());
    await sendLinkMail(services, mail, { attempt, recipient, purpose: 'set a password' });
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
  return composeLinkMail({
    recipient: { name, address: email },
    subject: isNewAccount ? `Your account on ${host}` : `A new password for ${host}`,
    kind: 'password',
    host,
    date,
    texts: [reason, url, `${validity} ${advice}`, newLinkUrl],
    paragraphs: [
      markup`${reason}`,
      markup`<a href="${url}">Set a password</a>`,
      markup`${validity} ${advice} <a href="${newLinkUrl}">${newLinkUrl}</a>`,
    ],
  });
}
