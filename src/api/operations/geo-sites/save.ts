import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ServerContext } from '#http/request/base-url.ts';
import { type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import { keepApplication } from './oauth-application.ts';
import { asBase, isHere, type Site, type SiteFields } from './site.ts';
import {
  areNamespaces,
  findPrimary,
  findSite,
  insertSite,
  isNameTaken,
  replaceNamespaces,
  updateSite,
} from './store.ts';
import { siteProblems } from './validation.ts';

/** What a call says of a site: what it leaves out stays, or has its default. */
interface SiteChange {
  readonly name?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly internal_url?: string | null | undefined;
  readonly primary?: boolean | null | undefined;
  readonly enabled?: boolean | null | undefined;
  readonly files_max_capacity?: number | null | undefined;
  readonly repos_max_capacity?: number | null | undefined;
  readonly verification_max_capacity?: number | null | undefined;
  readonly container_repositories_max_capacity?: number | null | undefined;
  readonly minimum_reverification_interval?: number | null | undefined;
  readonly sync_object_storage?: boolean | null | undefined;
  /** null: it holds all. */
  readonly selective_sync_type?: string | null | undefined;
  readonly selective_sync_shards?: readonly string[] | null | undefined;
  readonly selective_sync_namespace_ids?: readonly number[] | null | undefined;
}

const DEFAULTS: SiteFields = {
  name: '',
  url: '',
  internal_url: null,
  is_primary: false,
  enabled: true,
  files_max_capacity: 10,
  repos_max_capacity: 25,
  verification_max_capacity: 100,
  container_repositories_max_capacity: 10,
  minimum_reverification_interval: 90,
  sync_object_storage: false,
  selective_sync_type: null,
};

type Refusal = Failure<'invalid' | 'notFound'>;

export async function createSite(uow: UnitOfWork, change: SiteChange, base: ServerContext): Promise<Site | Refusal> {
  const fields = { ...changed(DEFAULTS, change), is_primary: change.primary ?? false };
  const refusal = (await problemsOf(uow, fields, base)) ?? (await unknownNamespace(uow, change));
  if (refusal) return refusal;
  const site = await insertSite(uow, {
    ...rowOf(fields),
    selective_sync_shards: JSON.stringify(change.selective_sync_shards ?? []),
    access_key_digest: null,
    secret_access_key: null,
    oauth_application_id: null,
    created_at: uow.now,
    updated_at: uow.now,
  });
  await replaceNamespaces(uow, site.id, change.selective_sync_namespace_ids ?? []);
  return keepApplication(uow, site);
}

/** Whether it is the primary one is decided when it is created. */
export async function changeSite(
  uow: UnitOfWork,
  id: number,
  change: SiteChange,
  base: ServerContext,
): Promise<Site | Refusal> {
  const before = await findSite(uow, id);
  if (before === null) return fail('notFound');
  const fields = changed(before, change);
  const refusal = (await problemsOf(uow, fields, base, id)) ?? (await unknownNamespace(uow, change));
  if (refusal) return refusal;
  const { selective_sync_shards: shards, selective_sync_namespace_ids: namespaces } = change;
  const after = await updateSite(uow, id, {
    ...rowOf(fields),
    ...(shards != null && { selective_sync_shards: JSON.stringify(shards) }),
  });
  if (after === undefined) return fail('notFound');
  if (namespaces != null) await replaceNamespaces(uow, id, namespaces);
  return keepApplication(uow, after);
}

/** Gives a secondary what it lacks; null: nothing is wrong with it. */
export async function repairSite(uow: UnitOfWork, id: number, base: ServerContext): Promise<Site | Refusal> {
  const site = await findSite(uow, id);
  if (site === null) return fail('notFound');
  const refusal = await problemsOf(uow, site, base, id);
  if (refusal) return refusal;
  return site.oauth_application_id === null ? keepApplication(uow, site) : site;
}

function changed(before: SiteFields, change: SiteChange): SiteFields {
  const url = change.url == null ? before.url : asBase(change.url);
  const internal = change.internal_url === undefined ? before.internal_url : asBase(change.internal_url ?? '');
  return {
    name: change.name == null ? before.name : change.name.trim(),
    url,
    internal_url: internal === url || internal === '' ? null : internal,
    is_primary: before.is_primary,
    enabled: change.enabled ?? before.enabled,
    files_max_capacity: change.files_max_capacity ?? before.files_max_capacity,
    repos_max_capacity: change.repos_max_capacity ?? before.repos_max_capacity,
    verification_max_capacity: change.verification_max_capacity ?? before.verification_max_capacity,
    container_repositories_max_capacity:
      change.container_repositories_max_capacity ?? before.container_repositories_max_capacity,
    minimum_reverification_interval: change.minimum_reverification_interval ?? before.minimum_reverification_interval,
    sync_object_storage: change.sync_object_storage ?? before.sync_object_storage,
    selective_sync_type:
      change.selective_sync_type === undefined ? before.selective_sync_type : change.selective_sync_type || null,
  };
}

/** Of fields that have been found good. */
function rowOf(fields: SiteFields) {
  const selective_sync_type = fields.selective_sync_type as Site['selective_sync_type'];
  const { name, url, internal_url, is_primary, enabled, minimum_reverification_interval, sync_object_storage } = fields;
  return {
    name,
    name_key: foldCase(name),
    url,
    internal_url,
    is_primary,
    enabled,
    files_max_capacity: fields.files_max_capacity,
    repos_max_capacity: fields.repos_max_capacity,
    verification_max_capacity: fields.verification_max_capacity,
    container_repositories_max_capacity: fields.container_repositories_max_capacity,
    minimum_reverification_interval,
    sync_object_storage,
    selective_sync_type,
  };
}

async function problemsOf(
  tx: Transaction,
  fields: SiteFields,
  base: ServerContext,
  ownId = 0,
): Promise<Refusal | undefined> {
  const primary = fields.is_primary ? await findPrimary(tx) : null;
  const problems: FieldErrors | null = siteProblems(fields, {
    nameTaken: fields.name !== '' && (await isNameTaken(tx, fields.name, ownId)),
    otherPrimary: primary !== null && primary.id !== ownId,
    here: isHere(fields, base),
  });
  return problems === null ? undefined : invalid(problems);
}

async function unknownNamespace(
  tx: Transaction,
  { selective_sync_namespace_ids: ids }: SiteChange,
): Promise<Refusal | undefined> {
  if (ids == null || ids.length === 0 || (await areNamespaces(tx, ids))) return undefined;
  return fail('notFound');
}
