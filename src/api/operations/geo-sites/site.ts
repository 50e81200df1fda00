import type { Insertable, Selectable } from 'kysely';
import type { Schema } from '#database/schema.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { trimEndCharacters } from '#text/trim.ts';

/** A replication site (contract/operations.md §3.1). */
export type Site = Omit<Selectable<Schema['geo_sites']>, 'access_key_digest' | 'secret_access_key'>;
export type NewSite = Insertable<Schema['geo_sites']>;

/** The fields of a site that administrators set. `selective_sync_type` may still be invalid. */
export type SiteFields = Pick<
  Site,
  | 'name'
  | 'url'
  | 'internal_url'
  | 'is_primary'
  | 'enabled'
  | 'files_max_capacity'
  | 'repos_max_capacity'
  | 'verification_max_capacity'
  | 'container_repositories_max_capacity'
  | 'minimum_reverification_interval'
  | 'sync_object_storage'
> & { readonly selective_sync_type: string | null };

/** Returns whether the site has the site name of this server. Trailing slashes are ignored. */
export function isThisServer(
  { name }: Pick<Site, 'name'>,
  { siteName: site }: Pick<ServerContext, 'siteName'>,
): boolean {
  return trimEndCharacters(name, '/') === trimEndCharacters(site, '/');
}

/** Returns a URL as it is stored: with exactly one trailing slash. */
export function normalizeBaseUrl(url: string): string {
  const trimmed = url.trim();
  return trimmed === '' ? '' : `${trimEndCharacters(trimmed, '/')}/`;
}

/** Returns the URL at which other sites reach the site. */
export const getInternalUrl = ({ internal_url, url }: Pick<Site, 'internal_url' | 'url'>): string =>
  internal_url ?? url;
