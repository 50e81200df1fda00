import type { KeyObject } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { encrypt } from '#security/encryption.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import { trimEndCharacters } from '#text/trim.ts';

/** A replication site (contract/operations.md §3.1). */
export type Site = Omit<Selectable<Schema['geo_sites']>, 'access_key_digest' | 'secret_access_key'>;
type NewSite = Insertable<Schema['geo_sites']>;

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

export const siteColumns = [
  'geo_sites.id',
  'geo_sites.name',
  'geo_sites.name_key',
  'geo_sites.url',
  'geo_sites.internal_url',
  'geo_sites.is_primary',
  'geo_sites.enabled',
  'geo_sites.files_max_capacity',
  'geo_sites.repos_max_capacity',
  'geo_sites.verification_max_capacity',
  'geo_sites.container_repositories_max_capacity',
  'geo_sites.minimum_reverification_interval',
  'geo_sites.sync_object_storage',
  'geo_sites.selective_sync_type',
  'geo_sites.selective_sync_shards',
  'geo_sites.oauth_application_id',
  'geo_sites.created_at',
  'geo_sites.updated_at',
] as const;

/** Returns a page of all sites. */
export function listSites(db: Reader, page: OffsetRequest): Promise<Page<Site>> {
  // index: geo_sites primary key
  return paginate(db, db.selectFrom('geo_sites').select(siteColumns).orderBy('geo_sites.id', 'asc'), page);
}

/** Returns the site with this id, or null. */
export async function findSite(db: Reader, id: number): Promise<Site | null> {
  // index: geo_sites primary key
  const row = await db.selectFrom('geo_sites').select(siteColumns).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Returns the primary, or null if no site is the primary. */
export async function findPrimary(db: Reader): Promise<Site | null> {
  // index: geo_sites_primary
  const row = await db.selectFrom('geo_sites').select(siteColumns).where('is_primary', '=', true).executeTakeFirst();
  return row ?? null;
}

/** Returns whether another site has this name. index: geo_sites_by_name */
export function isNameTaken(db: Reader, name: string, siteId: number): Promise<boolean> {
  const sameNameSites = db.selectFrom('geo_sites').select('id').where('name_key', '=', foldCase(name));
  return hasRow(sameNameSites.where('id', '<>', siteId));
}

/** Inserts a site. Throws a unique violation if the name is taken or another site is the primary. */
export async function insertSite(tx: Transaction, site: NewSite): Promise<Site> {
  return tx.insertInto('geo_sites').values(site).returning(siteColumns).executeTakeFirstOrThrow();
}

/** Updates and returns a site. Returns undefined if it no longer exists. */
export function updateSiteRow(tx: Transaction, id: number, patch: Partial<NewSite>): Promise<Site | undefined> {
  return tx
    .updateTable('geo_sites')
    .set({ ...patch, updated_at: tx.now })
    .where('id', '=', id)
    .returning(siteColumns)
    .executeTakeFirst();
}

/** Deletes a site. Returns whether it existed. */
export async function deleteSite(tx: Transaction, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('geo_sites').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the ids of the namespaces in these sites' scopes, by site id. index: geo_site_namespaces_pkey */
export async function loadSiteNamespaces(
  db: Reader,
  siteIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows = await db
    .selectFrom('geo_site_namespaces')
    .select(['site_id', 'namespace_id'])
    .where('site_id', 'in', siteIds)
    .orderBy('namespace_id')
    .execute();
  const rowsBySiteId = Map.groupBy(rows, ({ site_id }) => site_id);
  return new Map([...rowsBySiteId].map(([id, siteRows]) => [id, siteRows.map(({ namespace_id }) => namespace_id)]));
}

/** Returns whether all ids are those of groups or personal namespaces. */
export async function areNamespaces(db: Reader, ids: readonly number[]): Promise<boolean> {
  // index: namespaces primary key
  const namespaces = await db
    .selectFrom('namespaces')
    .select('id')
    .where(isInIds(db, sql.ref<number>('namespaces.id'), ids))
    .execute();
  return namespaces.length === new Set(ids).size;
}

/** Replaces the namespaces in the site's scope. */
export async function replaceNamespaces(tx: Transaction, siteId: number, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('geo_site_namespaces').where('site_id', '=', siteId).execute();
  const rows = [...new Set(ids)].map((namespace_id) => ({ site_id: siteId, namespace_id }));
  if (rows.length > 0) await tx.insertInto('geo_site_namespaces').values(rows).execute();
}

/** Credentials of a secondary (contract/operations.md §3.3). The API returns the secret only once. */
interface SiteCredentials {
  readonly access_key: string;
  readonly secret_access_key: string;
}

/** Issues new credentials for a secondary and invalidates the previous ones. Fails with `isPrimary` or `notFound`. */
export async function issueCredentials(
  uow: UnitOfWork,
  key: KeyObject,
  siteId: number,
): Promise<SiteCredentials | Failure<'isPrimary' | 'notFound'>> {
  const site = await findSite(uow, siteId);
  if (site === null) return fail('notFound');
  if (site.is_primary) return fail('isPrimary');
  const credentials = { access_key: generateToken('', 20), secret_access_key: generateToken('', 40) };
  await updateSiteRow(uow, siteId, {
    access_key_digest: hashToken(credentials.access_key),
    secret_access_key: encrypt(
      key,
      credentials.secret_access_key,
      ENCRYPTED_COLUMNS.siteSecret.buildContext({ id: siteId }),
    ),
  });
  return credentials;
}
