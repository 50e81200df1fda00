import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ServerContext } from '#http/request/base-url.ts';
import { type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import { createOrUpdateApplication } from './oauth-application.ts';
import { isThisServer, normalizeBaseUrl, type Site, type SiteFields } from './site.ts';
import {
  areNamespaces,
  findPrimary,
  findSite,
  insertSite,
  isNameTaken,
  replaceNamespaces,
  updateSiteRow,
} from './store.ts';
import { validateSite } from './validation.ts';

/** Fields of a create or update request. A missing field keeps its value, or gets the default. */
interface SiteInput {
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
  /** Null: the site copies everything. */
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

type SiteFailure = Failure<'invalid' | 'notFound'>;

export async function createSite(uow: UnitOfWork, input: SiteInput, base: ServerContext): Promise<Site | SiteFailure> {
  const fields = { ...applyChange(DEFAULTS, input), is_primary: input.primary ?? false };
  const failure = (await validateFields(uow, fields, base)) ?? (await validateNamespaces(uow, input));
  if (failure) return failure;
  const site = await insertSite(uow, {
    ...toColumns(fields),
    selective_sync_shards: JSON.stringify(input.selective_sync_shards ?? []),
    access_key_digest: null,
    secret_access_key: null,
    oauth_application_id: null,
    created_at: uow.now,
    updated_at: uow.now,
  });
  await replaceNamespaces(uow, site.id, input.selective_sync_namespace_ids ?? []);
  return createOrUpdateApplication(uow, site);
}

/** Updates a site, except `primary`, which is fixed at creation. */
export async function updateSite(
  uow: UnitOfWork,
  id: number,
  input: SiteInput,
  base: ServerContext,
): Promise<Site | SiteFailure> {
  const before = await findSite(uow, id);
  if (before === null) return fail('notFound');
  const fields = applyChange(before, input);
  const failure = (await validateFields(uow, fields, base, id)) ?? (await validateNamespaces(uow, input));
  if (failure) return failure;
  const { selective_sync_shards: shards, selective_sync_namespace_ids: namespaces } = input;
  const after = await updateSiteRow(uow, id, {
    ...toColumns(fields),
    ...(shards != null && { selective_sync_shards: JSON.stringify(shards) }),
  });
  if (after === undefined) return fail('notFound');
  if (namespaces != null) await replaceNamespaces(uow, id, namespaces);
  return createOrUpdateApplication(uow, after);
}

/** Creates the missing OAuth application of a secondary. */
export async function repairSite(uow: UnitOfWork, id: number, base: ServerContext): Promise<Site | SiteFailure> {
  const site = await findSite(uow, id);
  if (site === null) return fail('notFound');
  const failure = await validateFields(uow, site, base, id);
  if (failure) return failure;
  return site.oauth_application_id === null ? createOrUpdateApplication(uow, site) : site;
}

function applyChange(before: SiteFields, input: SiteInput): SiteFields {
  const url = input.url == null ? before.url : normalizeBaseUrl(input.url);
  const internal = input.internal_url === undefined ? before.internal_url : normalizeBaseUrl(input.internal_url ?? '');
  return {
    name: input.name == null ? before.name : input.name.trim(),
    url,
    internal_url: internal === url || internal === '' ? null : internal,
    is_primary: before.is_primary,
    enabled: input.enabled ?? before.enabled,
    files_max_capacity: input.files_max_capacity ?? before.files_max_capacity,
    repos_max_capacity: input.repos_max_capacity ?? before.repos_max_capacity,
    verification_max_capacity: input.verification_max_capacity ?? before.verification_max_capacity,
    container_repositories_max_capacity:
      input.container_repositories_max_capacity ?? before.container_repositories_max_capacity,
    minimum_reverification_interval: input.minimum_reverification_interval ?? before.minimum_reverification_interval,
    sync_object_storage: input.sync_object_storage ?? before.sync_object_storage,
    selective_sync_type:
      input.selective_sync_type === undefined ? before.selective_sync_type : input.selective_sync_type || null,
  };
}

/** Returns the columns of validated fields. */
function toColumns(fields: SiteFields) {
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

async function validateFields(
  tx: Transaction,
  fields: SiteFields,
  base: ServerContext,
  ownId = 0,
): Promise<SiteFailure | undefined> {
  const primary = fields.is_primary ? await findPrimary(tx) : null;
  const errors: FieldErrors | null = validateSite(fields, {
    isNameTaken: fields.name !== '' && (await isNameTaken(tx, fields.name, ownId)),
    hasOtherPrimary: primary !== null && primary.id !== ownId,
    isThisServer: isThisServer(fields, base),
  });
  return errors === null ? undefined : invalid(errors);
}

async function validateNamespaces(
  tx: Transaction,
  { selective_sync_namespace_ids: ids }: SiteInput,
): Promise<SiteFailure | undefined> {
  if (ids == null || ids.length === 0 || (await areNamespaces(tx, ids))) return undefined;
  return fail('notFound');
}
