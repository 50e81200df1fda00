import { type Static, Type } from 'typebox';
import { REPLICABLE_NAMES } from '#api/operations/replicables/index.ts';
import type { ReplicableName } from '#database/schema.ts';

// Responses of a primary to its secondaries (contract/operations.md §3.4), reduced to what is used. They come from
// another server, so they are validated.

const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const capacity = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const timestamp = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' });
const name = Type.String({ minLength: 1, maxLength: 255 });

const replicableName = Type.Unsafe<ReplicableName>(Type.Union(REPLICABLE_NAMES.map((name) => Type.Literal(name))));

/** Returns whether the object is a repository, which is fetched; all others are files. */
export function isRepository(replicable: string): boolean {
  return replicable.endsWith('_repository');
}

const siteSchema = Type.Object({
  id,
  name,
  enabled: Type.Boolean(),
  primary: Type.Boolean(),
  repos_max_capacity: capacity,
  files_max_capacity: capacity,
  verification_max_capacity: capacity,
  minimum_reverification_interval: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  selective_sync_type: Type.Union([Type.String({ maxLength: 255 }), Type.Null()]),
  selective_sync_shards: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 10_000 }),
  selective_sync_namespace_ids: Type.Array(id, { maxItems: 10_000 }),
});
export type OwnSiteRecord = Static<typeof siteSchema>;

/** Response of `GET /geo/site`: this site as known to its primary. */
export const OwnSiteResponse = Type.Object({
  site: siteSchema,
  storages: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1_000 }),
});
export type OwnSiteResponse = Static<typeof OwnSiteResponse>;

const replicableSchema = Type.Object({
  replicable_name: replicableName,
  replicable_id: id,
  checksum: Type.Union([Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' }), Type.Null()]),
  size: Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]),
  path: Type.Union([Type.String({ maxLength: 2_048 }), Type.Null()]),
  storage: Type.Union([Type.String({ maxLength: 255 }), Type.Null()]),
});
/** An object of the primary that sites copy. */
export type RemoteReplicable = Static<typeof replicableSchema>;

export const Replicables = Type.Array(replicableSchema, { maxItems: 100 });

const eventSchema = Type.Object({
  id,
  created_at: timestamp,
  event_name: Type.Union([Type.Literal('created'), Type.Literal('updated'), Type.Literal('deleted')]),
  replicable_name: replicableName,
  replicable_id: id,
});
/** A change of an object. */
export type ReplicationEvent = Static<typeof eventSchema>;

export const Events = Type.Array(eventSchema, { maxItems: 100 });

/** Response of `GET /geo_sites`. Only these fields are validated; the others are passed on to clients unchanged. */
export const SiteRows = Type.Array(Type.Object({ id, name, primary: Type.Boolean() }), { maxItems: 100 });
export type SiteRow = Static<typeof SiteRows>[number] & Readonly<Record<string, unknown>>;

/** A row of `GET /geo_sites/status`. */
export const StatusRows = Type.Array(Type.Object({ geo_node_id: id }), { maxItems: 100 });
export type SiteStatusRow = Static<typeof StatusRows>[number] & Readonly<Record<string, unknown>>;

export const Credentials = Type.Object({
  access_key: Type.String({ pattern: '^[\\x21-\\x39\\x3b-\\x7e]{1,255}$' }),
  secret_access_key: Type.String({ minLength: 1, maxLength: 255 }),
});
