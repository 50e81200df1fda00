import { describeChange } from '#activity/index.ts';
import { findAddressByConfirmationLink, redeemConfirmationLink } from '#authentication/users/email-confirmations.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type HtmlReply, html } from '#http/endpoint/responses.ts';
import { csrfParams, ensureSession, visitor, visitorWithForm } from '#http/pages/web-session.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { isFailure, requireRow } from '#runtime/failure.ts';
import { recordUserEvent } from '../users/index.ts';
import { createConfirmationPage, createConfirmedPage, createInvalidLinkPage } from './pages.ts';

// Pages that confirm an address with the link of a mail (contract/activity.md Part 4). The link shows a button, because programs
// that check mails follow links.

const webDefinition = { stageOrder: 'clientToken', outsideApi: true } as const;

export const getEmailConfirmationPage = endpoint({
  get: '/users/confirmation',
  summary: 'Get the page of a confirmation link',
  description: 'Shows a button that confirms the e-mail address. A link that is used, expired or wrong gets 422.',
  access: visitor(),
  ...webDefinition,
  params: { confirmation_token: optional(string) },
  response: html,
  async handle({ visitor, params, request }, services) {
    const { session, headers } = await ensureSession(services, request, visitor);
    const token = params.confirmation_token ?? '';
    const foundAddress = await findAddressByConfirmationLink(
      services.database.reader,
      token,
      timestamp(services.clock),
    );
    if (foundAddress === null) return createInvalidLinkPage(session, headers);
    return createConfirmationPage(request, session, { token, address: foundAddress.address, headers });
  },
});

export const confirmEmail = endpoint({
  post: '/users/confirmation',
  summary: 'Confirm an e-mail address with a link',
  description:
    'Confirms the address of the link, which cannot be used again. A new primary address replaces the old one now.',
  access: visitorWithForm(),
  ...webDefinition,
  params: { ...csrfParams, confirmation_token: optional(string) },
  errors: { taken: [409, 'Email has already been taken'] },
  uniqueErrors: { emails_by_taken_key: 'taken', users_by_email_key: 'taken' },
  activity: ['user_email_address_updated'],
  response: html,
  handle: ({ visitor: { session }, params, request }, services) =>
    confirmAddress(services, request.clientAddress, session, params.confirmation_token ?? ''),
});

async function confirmAddress(
  { database, clock, runUnitOfWork }: Pick<Services, 'database' | 'clock' | 'runUnitOfWork'>,
  address: string,
  session: { readonly csrfToken: string },
  token: string,
): Promise<HtmlReply> {
  const foundAddress = await findAddressByConfirmationLink(database.reader, token, timestamp(clock));
  if (foundAddress === null) return createInvalidLinkPage(session);
  const user = requireRow(await findUserById(database.reader, foundAddress.userId));
  const result = await runUnitOfWork({ user, token: null, address }, (uow) => redeem(uow, token));
  return isFailure(result) ? createInvalidLinkPage(session) : createConfirmedPage(session, foundAddress.address);
}

/** Redeems the link, and records a new primary address. */
async function redeem(uow: UnitOfWork, token: string) {
  const result = await redeemConfirmationLink(uow, token);
  if (isFailure(result)) return result;
  const { before, after } = result;
  if (before.email === after.email) return undefined;
  await recordUserEvent(uow, after, {
    name: 'user_email_address_updated',
    targetDetails: after.name,
    ...describeChange('email address', before.email, after.email),
  });
  return undefined;
}
