import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { buildSiteEntity, GEO_SITE_APIS, type Site } from '../geo-sites/index.ts';
import { REPLICABLE_NAMES, type Replicable as ReplicableRow } from '../replicables/index.ts';
import type { SiteEvent } from './events.ts';

/** Entities in responses to secondaries (contract/operations.md §3.4). */

const text = Type.String();
const GeoSite = buildSiteEntity(GEO_SITE_APIS[0]);

/** A secondary with its primary. */
export interface SiteWithPrimary {
  readonly site: Site;
  readonly primary: Site | null;
}

export const FollowingSite = entity('GeoFollowingSite', {
  site: GeoSite.schema,
  /** Null: no primary exists. */
  primary: nullable(objectSchema('GeoPrimarySite', { name: text, url: text })),
  storages: Type.Array(text),
}).from(
  (rows: readonly SiteWithPrimary[], context) =>
    GeoSite.serializeAll(
      rows.map(({ site }) => site),
      context,
    ),
  ({ site: { id }, primary }, context, serializedSites) => ({
    site: serializedSites.find((serializedSite) => serializedSite.id === id)!,
    primary: primary && { name: primary.name, url: primary.url },
    storages: Object.keys(context.git.storages).sort(),
  }),
);

export const Replicable = entity('GeoReplicable', {
  replicable_name: Type.Enum([...REPLICABLE_NAMES]),
  replicable_id: Type.Integer(),
  checksum: nullable(text),
  checksum_state: Type.Enum(['pending', 'succeeded', 'failed']),
  size: nullable(Type.Integer()),
  path: nullable(text),
  storage: nullable(text),
  updated_at: dateTime,
}).from((row: ReplicableRow) => row);

export const GeoEvent = entity('GeoEvent', {
  id: Type.Integer(),
  created_at: dateTime,
  event_name: Type.Enum(['created', 'updated', 'deleted']),
  replicable_name: Type.Enum([...REPLICABLE_NAMES]),
  replicable_id: Type.Integer(),
  checksum: nullable(text),
}).from((row: SiteEvent) => row);
