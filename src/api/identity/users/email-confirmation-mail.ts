import {
  createEmailConfirmationToken,
  EMAIL_CONFIRMATION_LIFETIME_MS,
  findUnconfirmedAddress,
  type UnconfirmedAddress,
} from '#authentication/users/email-confirmations.ts';
import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { markup } from '#http/pages/html-page.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { getUrlHost, type Mail } from '#mail/mailer.ts';
import { getRateLimitWindow, incrementCount } from '#rate-limits/window-counters.ts';
import { hashToken } from '#security/tokens.ts';
import {
  canSendLinks,
  composeLinkMail,
  type LinkMailServices,
  MAX_LINK_MAIL_ATTEMPTS,
  sendLinkMail,
} from './link-mail.ts';

// The mail with a one-time link that confirms an address of a user (contract/activity.md Part 4).

interface ConfirmationRequest {
  readonly userId: number;
  readonly address: string;
}

/** Sends the mail, unless the address is confirmed or removed meanwhile. */
export const sendEmailConfirmation = defineJob({
  kind: 'send_email_confirmation',
  isExternal: true,
  maxAttempts: MAX_LINK_MAIL_ATTEMPTS,
  async handle(services: LinkMailServices, { userId, address }: ConfirmationRequest, { attempt }) {
    const { config, database, clock, serverUrl } = services;
    const recipient = await findUnconfirmedAddress(database.reader, userId, address);
    if (recipient === null || !canSendLinks(config)) return;
    const token = await database.transaction((tx) => createEmailConfirmationToken(tx, recipient));
    const mail = composeMail(recipient, { baseUrl: serverUrl(), token }, clock.now());
    const { username } = recipient;
    await sendLinkMail(services, mail, {
      attempt,
      recipient: { id: userId, username },
      purpose: 'confirm an address',
    });
  },
});

/** Mails for one address, and for the addresses of one user, in an hour: nobody can flood others with mails. */
const MAX_PER_ADDRESS = 3;
const MAX_PER_USER = 20;
const LIMIT_SECONDS = 3_600;

/** Enqueues the mail for an address that is not confirmed. Above the limits, none is sent. */
export async function enqueueEmailConfirmation(
  tx: Transaction,
  { userId, address }: ConfirmationRequest,
): Promise<void> {
  const count = (key: string) =>
    incrementCount(tx, getRateLimitWindow(new Date(tx.now), `email_confirmation:${key}`, LIMIT_SECONDS));
  const addressHash = hashToken(foldCase(address));
  if ((await count(`address:${addressHash}`)) > MAX_PER_ADDRESS || (await count(`user:${userId}`)) > MAX_PER_USER)
    return;
  await enqueue(tx, sendEmailConfirmation, { userId, address }, { key: `${userId}:${addressHash}` });
}

interface ConfirmationLink {
  readonly baseUrl: string;
  readonly token: string;
}

const LIFETIME_DAYS = EMAIL_CONFIRMATION_LIFETIME_MS / 86_400_000;

function composeMail(
  { username, address }: UnconfirmedAddress,
  { baseUrl, token }: ConfirmationLink,
  date: Date,
): Mail {
  const host = getUrlHost(baseUrl);
  const url = `${baseUrl}/users/confirmation?confirmation_token=${token}`;
  const reason = `This address was added to the account ${username} on ${baseUrl}. This link confirms it:`;
  const advice = `It works for ${LIFETIME_DAYS} days. If this is not your account, ignore this mail.`;
  return composeLinkMail({
    // The name of a user may be any text, which the owner of the address would read.
    recipient: { name: username, address },
    subject: `Confirm your address for ${host}`,
    kind: 'confirmation',
    host,
    date,
    texts: [reason, url, advice],
    paragraphs: [markup`${reason}`, markup`<a href="${url}">Confirm the address</a>`, markup`${advice}`],
  });
}
