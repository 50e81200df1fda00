import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { getBasicCredentials, getBearerToken } from '#http/request/credentials.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { hashToken, secretsEqual } from '#security/tokens.ts';
import { readMapping } from '../attribute-mappings/index.ts';
import type { Address } from './access.ts';
import type { AlertSource } from './parsed-alert.ts';
import { integrationAt, oldestIntegration } from './store.ts';

/**
 * The integration that an address names, for whoever has its key (contract/monitoring.md §1 step 4): refused with 403 where
 * there is none that is active, and with 401 to whoever has no key or another one; senders of webhooks hear 401 of both.
 */
export async function authorize(
  db: Reader,
  { request, address, isWebhook, tier }: { request: IncomingRequest; address: Address; isWebhook: boolean; tier: Tier },
): Promise<AlertSource | Failure<'forbidden' | 'unauthorized'>> {
  const integration = await integrationAt.first(db, address);
  const isThere = integration?.active && (tier !== 'free' || (await isOldest(db, address.projectId, integration)));
  if (!integration || !isThere) return fail(isWebhook ? 'unauthorized' : 'forbidden');
  const key = getBearerToken(request) ?? getBasicCredentials(request)?.password ?? '';
  if (!secretsEqual(hashToken(key), integration.token_digest)) return fail('unauthorized');
  const { name, payload_attribute_mapping: mapping } = integration;
  return { name, mapping: readMapping(tier === 'free' ? '{}' : mapping) };
}

/** Tier free has one integration of each type, and forgets none: the others are hidden (contract/monitoring.md §5). */
async function isOldest(
  db: Reader,
  projectId: number,
  { id, type }: { readonly id: number; readonly type: 'http' | 'prometheus' },
): Promise<boolean> {
  return (await oldestIntegration.first(db, { projectId, type }))?.id === id;
}
