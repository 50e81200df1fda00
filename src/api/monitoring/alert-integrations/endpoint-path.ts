import type { AlertIntegrationType } from '#database/tables/alerts.ts';
import { trimCharacters } from '#text/trim.ts';

/** Where an integration is reached (contract/monitoring.md §1, §5). Pure. */

/** What old addresses, which name nothing, lead to. */
export const LEGACY = { http: 'legacy', prometheus: 'legacy-prometheus' } as const satisfies Record<
  AlertIntegrationType,
  string
>;

const LONGEST_SLUG = 63;

/** The path below the project's own; what stands in it for the name is decoration. */
export function pathOf({
  type,
  name,
  endpoint_identifier: endpoint,
}: {
  readonly type: AlertIntegrationType;
  readonly name: string;
  readonly endpoint_identifier: string;
}): string {
  if (endpoint === LEGACY.http) return 'alerts/notify.json';
  if (endpoint === LEGACY.prometheus) return 'prometheus/alerts/notify.json';
  return `alerts/notify/${slugOf(name) || `${type}-endpoint`}/${endpoint}.json`;
}

function slugOf(name: string): string {
  const dashed = name
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, '-')
    .slice(0, LONGEST_SLUG);
  return trimCharacters(dashed, '-');
}
