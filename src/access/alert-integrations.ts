import { sql } from 'kysely';
import type { Tier } from '../config.ts';
import type { Reader } from '../database/database.ts';
import { type Params, prepare } from '../database/prepare.ts';
import type { AlertIntegrationType } from '../database/tables/monitoring.ts';

/** Who may send alerts to a project (contract/monitoring.md §1, §5). */

/** An integration as a payload is judged by it. */
export interface AlertSource {
  readonly id: number;
  readonly project_id: number;
  readonly type: AlertIntegrationType;
  readonly name: string;
  /** Of its token: `digestToken` of what a sender shows is compared with it. */
  readonly token_digest: string;
  /** JSON; `{}` where the tier has no mappings. */
  readonly payload_attribute_mapping: string;
}

// index: alert_integrations_by_endpoint
export const sourceByEndpoint = prepare((db, value: Params<{ project: number; endpoint: string }>) =>
  db
    .selectFrom('alert_integrations as integration')
    .select([
      'integration.id',
      'integration.project_id',
      'integration.type',
      'integration.name',
      'integration.token_digest',
      'integration.payload_attribute_mapping',
    ])
    .where('integration.project_id', '=', value('project'))
    .where('integration.endpoint_identifier', '=', value('endpoint'))
    .where('integration.active', '=', sql.lit(true)),
);

// index: alert_integrations_by_type
export const oldestOfType = prepare((db, value: Params<{ project: number; type: AlertIntegrationType }>) =>
  db
    .selectFrom('alert_integrations')
    .select('id')
    .where('project_id', '=', value('project'))
    .where('type', '=', value('type'))
    .orderBy('id')
    .limit(sql.lit(1)),
);

/**
 * The integration that this address of the project leads to; null where none does that is active: unknown, switched off,
 * deleted, or hidden by the tier, on which only the oldest of each type works. One statement, on tier free two.
 */
export async function alertSource(
  db: Reader,
  { projectId, endpoint, tier }: { readonly projectId: number; readonly endpoint: string; readonly tier: Tier },
): Promise<AlertSource | null> {
  const source = await sourceByEndpoint.first(db, { project: projectId, endpoint });
  if (source === undefined) return null;
  if (tier !== 'free') return source;
  const oldest = await oldestOfType.first(db, { project: projectId, type: source.type });
  return oldest?.id === source.id ? { ...source, payload_attribute_mapping: '{}' } : null;
}
