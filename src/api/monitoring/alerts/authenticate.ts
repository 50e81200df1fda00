import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { getBasicCredentials, getBearerToken } from '#http/request/credentials.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { hashToken, secretsEqual } from '#security/tokens.ts';
import { parseMapping } from '../attribute-mappings/index.ts';
import type { AlertTarget } from './access.ts';
import type { AlertSender } from './parsed-alert.ts';
import { findIntegrationByEndpoint, findOldestIntegration } from './store.ts';

/**
 * Returns the integration that an alert is sent to if the request has its key (contract/monitoring.md §1 step 4). Fails with 403 if no
 * integration is active, and with 401 if the key is missing or wrong. Webhook senders get 401 in both cases.
 */
export async function authenticateIntegration(
  db: Reader,
  {
    request,
    target,
    isWebhookFormat,
    tier,
  }: { request: IncomingRequest; target: AlertTarget; isWebhookFormat: boolean; tier: Tier },
): Promise<AlertSender | Failure<'forbidden' | 'unauthorized'>> {
  const integration = await findIntegrationByEndpoint.first(db, target);
  const isUsable = integration?.active && (tier !== 'free' || (await isOldest(db, target.projectId, integration)));
  if (!integration || !isUsable) return fail(isWebhookFormat ? 'unauthorized' : 'forbidden');
  const key = getBearerToken(request) ?? getBasicCredentials(request)?.password ?? '';
  if (!secretsEqual(hashToken(key), integration.token_digest)) return fail('unauthorized');
  const { name, payload_attribute_mapping: mapping } = integration;
  return { name, mapping: parseMapping(tier === 'free' ? '{}' : mapping) };
}

/** Tier free uses the oldest integration of each type and hides the others without deleting them (contract/monitoring.md §5). */
async function isOldest(
  db: Reader,
  projectId: number,
  { id, type }: { readonly id: number; readonly type: 'http' | 'prometheus' },
): Promise<boolean> {
  return (await findOldestIntegration.first(db, { projectId, type }))?.id === id;
}
