import { foldCase } from '#database/name-keys.ts';
import type { HtmlReply } from '#http/endpoint/responses.ts';
import type { WebSession } from '#http/pages/web-session.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { getClientNetwork } from '#rate-limits/concurrency-slots.ts';
import { getRateLimitWindow } from '#rate-limits/window-counters.ts';
import { fail } from '#runtime/failure.ts';
import { hashToken } from '#security/tokens.ts';
import { loadSettings } from '#settings/settings.ts';
import { canSendLinks, enqueuePasswordLink } from '../users/index.ts';
import { createLinkRequestedPage, createLinkRequestPage, type PasswordProblem } from './pages.ts';

type LinkServices = Pick<Services, 'config' | 'database' | 'clock' | 'countRequest'>;

/** Requests of one network in ten minutes; further ones get 429. */
const MAX_PER_NETWORK = 10;
const NETWORK_SECONDS = 600;
/** Mails for one address in an hour. The response to further requests is the same, because it must not reveal anything. */
const MAX_PER_ADDRESS = 3;
const ADDRESS_SECONDS = 3_600;
/** No user has a longer address. */
const MAX_ADDRESS_LENGTH = 255;

/**
 * Sends a link to the user with this address, in the background. Neither the response nor its duration reveals whether there is
 * one, because this only enqueues a job and counts.
 */
export async function requestLink(
  services: LinkServices,
  request: IncomingRequest,
  session: WebSession,
  input: string,
): Promise<HtmlReply> {
  const { config, database } = services;
  const address = input.trim();
  const problem = await findRequestProblem(services, request);
  if (problem !== null) return createLinkRequestPage(request, session, config, { problem });
  if (address !== '' && address.length <= MAX_ADDRESS_LENGTH && (await isAddressWithinLimit(services, address)))
    await database.transaction((tx) => enqueuePasswordLink(tx, { address, isNewAccount: false }));
  return createLinkRequestedPage(request, session);
}

async function findRequestProblem(
  { config, database, clock, countRequest }: LinkServices,
  { clientAddress }: IncomingRequest,
): Promise<PasswordProblem | null> {
  if (!canSendLinks(config)) return fail('noMailDelivery');
  if (!(await loadSettings(database.reader)).password_authentication_enabled_for_web)
    return fail('passwordSignInDisabled');
  const key = `password_link:${getClientNetwork(clientAddress)}`;
  const window = getRateLimitWindow(clock.now(), key, NETWORK_SECONDS);
  return (await countRequest(window)) > MAX_PER_NETWORK ? fail('tooMany', { seconds: NETWORK_SECONDS }) : null;
}

async function isAddressWithinLimit({ clock, countRequest }: LinkServices, address: string): Promise<boolean> {
  const key = `password_link_address:${hashToken(foldCase(address))}`;
  return (await countRequest(getRateLimitWindow(clock.now(), key, ADDRESS_SECONDS))) <= MAX_PER_ADDRESS;
}
