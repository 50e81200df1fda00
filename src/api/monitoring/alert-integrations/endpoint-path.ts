import type { AlertIntegrationType } from '#database/schema.ts';
import { trimCharacters } from '#text/trim.ts';

/** Builds the address of an integration (contract/monitoring.md §1, §5). Pure. */

/** Endpoint identifiers of the legacy addresses, which contain none. */
export const LEGACY_ENDPOINTS = { http: 'legacy', prometheus: 'legacy-prometheus' } as const satisfies Record<
  AlertIntegrationType,
  string
>;

const MAX_SLUG_LENGTH = 63;

/** Returns the path of the integration below its project's path. The server ignores the name in it. */
export function buildIntegrationPath({
  type,
  name,
  endpoint_identifier: endpoint,
}: {
  readonly type: AlertIntegrationType;
  readonly name: string;
  readonly endpoint_identifier: string;
}): string {
  if (endpoint === LEGACY_ENDPOINTS.http) return 'alerts/notify.json';
  if (endpoint === LEGACY_ENDPOINTS.prometheus) return 'prometheus/alerts/notify.json';
  return `alerts/notify/${toSlug(name) || `${type}-endpoint`}/${endpoint}.json`;
}

function toSlug(name: string): string {
  const dashedName = name
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, '-')
    .slice(0, MAX_SLUG_LENGTH);
  return trimCharacters(dashedName, '-');
}
