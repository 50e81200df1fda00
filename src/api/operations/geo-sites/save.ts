import { createApplication, deleteApplication, updateApplication } from '#authentication/oauth/applications.ts';
import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { SCHEME_ERROR } from '#outbound-http/check-url.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import {
  areNamespaces,
  findPrimary,
  findSite,
  insertSite,
  isNameTaken,
  isThisServer,
  normalizeBaseUrl,
  replaceNamespaces,
  type Site,
  type SiteFields,
  updateSiteRow,
} from './store.ts';

/** Fields of a create or update request. A missing field keeps its value, or gets the default. */
type SiteInput = NullablePartial<
  Omit<SiteFields, 'is_primary' | 'selective_sync_type'> & {
    primary: boolean;
    /** Null: the site copies everything. */
    selective_sync_type: string;
    selective_sync_shards: readonly string[];
    selective_sync_namespace_ids: readonly number[];
  }
>;

/** Defaults of a new site. `minimum_reverification_interval` is in days. */
const DEFAULT_FIELDS: SiteFields = {
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

/** Creates a site, and the OAuth application of a secondary. Fails with `invalid` or `notFound`. */
export async function createSite(
  uow: UnitOfWork,
  input: SiteInput,
  serverContext: ServerContext,
): Promise<Site | SiteFailure> {
  const fields = { ...applyInput(DEFAULT_FIELDS, input), is_primary: input.primary ?? false };
  const failure = (await validateFields(uow, fields, serverContext)) ?? (await validateNamespaces(uow, input));
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

/** Updates a site. `primary` is ignored, because it is fixed at creation. */
export async function updateSite(
  uow: UnitOfWork,
  id: number,
  input: SiteInput,
  serverContext: ServerContext,
): Promise<Site | SiteFailure> {
  const site = await findSite(uow, id);
  if (site === null) return fail('notFound');
  const fields = applyInput(site, input);
  const failure = (await validateFields(uow, fields, serverContext, id)) ?? (await validateNamespaces(uow, input));
  if (failure) return failure;
  const { selective_sync_shards: shards, selective_sync_namespace_ids: namespaceIds } = input;
  const updatedSite = await updateSiteRow(uow, id, {
    ...toColumns(fields),
    ...(shards != null && { selective_sync_shards: JSON.stringify(shards) }),
  });
  if (updatedSite === undefined) return fail('notFound');
  if (namespaceIds != null) await replaceNamespaces(uow, id, namespaceIds);
  return createOrUpdateApplication(uow, updatedSite);
}

/** Creates the missing OAuth application of a secondary. */
export async function repairSite(
  uow: UnitOfWork,
  id: number,
  serverContext: ServerContext,
): Promise<Site | SiteFailure> {
  const site = await findSite(uow, id);
  if (site === null) return fail('notFound');
  const failure = await validateFields(uow, site, serverContext, id);
  if (failure) return failure;
  return site.oauth_application_id === null ? createOrUpdateApplication(uow, site) : site;
}

/** Returns the current fields with the fields of the input, which are normalized but not validated. */
function applyInput(currentFields: SiteFields, input: SiteInput): SiteFields {
  const url = input.url == null ? currentFields.url : normalizeBaseUrl(input.url);
  const internalUrl =
    input.internal_url === undefined ? currentFields.internal_url : normalizeBaseUrl(input.internal_url ?? '');
  return {
    name: input.name == null ? currentFields.name : input.name.trim(),
    url,
    // Null: the same as `url`.
    internal_url: internalUrl === url || internalUrl === '' ? null : internalUrl,
    is_primary: currentFields.is_primary,
    enabled: input.enabled ?? currentFields.enabled,
    files_max_capacity: input.files_max_capacity ?? currentFields.files_max_capacity,
    repos_max_capacity: input.repos_max_capacity ?? currentFields.repos_max_capacity,
    verification_max_capacity: input.verification_max_capacity ?? currentFields.verification_max_capacity,
    container_repositories_max_capacity:
      input.container_repositories_max_capacity ?? currentFields.container_repositories_max_capacity,
    minimum_reverification_interval:
      input.minimum_reverification_interval ?? currentFields.minimum_reverification_interval,
    sync_object_storage: input.sync_object_storage ?? currentFields.sync_object_storage,
    selective_sync_type:
      input.selective_sync_type === undefined ? currentFields.selective_sync_type : input.selective_sync_type || null,
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

/** Returns the failure, or undefined if the fields are valid. `siteId` 0: the site does not exist yet. */
async function validateFields(
  tx: Transaction,
  fields: SiteFields,
  serverContext: ServerContext,
  siteId = 0,
): Promise<SiteFailure | undefined> {
  const primary = fields.is_primary ? await findPrimary(tx) : null;
  const errors: FieldErrors | null = validateSite(fields, {
    isNameTaken: fields.name !== '' && (await isNameTaken(tx, fields.name, siteId)),
    hasOtherPrimary: primary !== null && primary.id !== siteId,
    isThisServer: isThisServer(fields, serverContext),
  });
  return errors === null ? undefined : invalid(errors);
}

/** Returns `notFound` if one of the namespaces does not exist, otherwise undefined. */
async function validateNamespaces(
  tx: Transaction,
  { selective_sync_namespace_ids: ids }: SiteInput,
): Promise<SiteFailure | undefined> {
  if (ids == null || ids.length === 0 || (await areNamespaces(tx, ids))) return undefined;
  return fail('notFound');
}

/** The state of the server and of its other sites that the validation depends on. */
interface SiteValidationContext {
  /** Whether another site has the name. */
  readonly isNameTaken: boolean;
  /** Whether another site is the primary. */
  readonly hasOtherPrimary: boolean;
  /** Whether the validated site is this server. */
  readonly isThisServer: boolean;
}

const CAPACITY_FIELDS = [
  'files_max_capacity',
  'repos_max_capacity',
  'verification_max_capacity',
  'container_repositories_max_capacity',
] as const;

/** Returns the validation errors by field, or null (contract/operations.md §3.1). Expects trimmed texts. */
function validateSite(site: SiteFields, context: SiteValidationContext): FieldErrors | null {
  return compactFieldErrors({
    name: validateName(site.name, context.isNameTaken),
    url: site.url === '' ? ["can't be blank", 'must be a valid URL'] : validateUrl(site.url),
    internal_url: site.internal_url === null ? [] : validateUrl(site.internal_url),
    primary: site.is_primary && context.hasOtherPrimary ? ['node already exists'] : [],
    enabled: site.is_primary && !site.enabled ? ['Geo primary node cannot be disabled'] : [],
    ...Object.fromEntries(CAPACITY_FIELDS.map((name) => [name, validateMinimum(0, site[name])])),
    minimum_reverification_interval: validateMinimum(1, site.minimum_reverification_interval),
    selective_sync_type: [null, 'namespaces', 'shards'].includes(site.selective_sync_type)
      ? []
      : ['is not included in the list'],
    base:
      !site.is_primary && context.isThisServer
        ? ['Current node must be the primary node or you will be locking yourself out']
        : [],
  });
}

const MAX_NAME_LENGTH = 255;

function validateName(name: string, isTaken: boolean): string[] {
  if (name === '') return ["can't be blank"];
  const lengthErrors =
    [...name].length > MAX_NAME_LENGTH ? [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] : [];
  return [...(isTaken ? ['has already been taken'] : []), ...lengthErrors];
}

/** Returns the errors of a URL. A scheme other than HTTP hides all other errors. */
function validateUrl(url: string): string[] {
  if (!/^https?:/i.test(url)) return [`is blocked: ${SCHEME_ERROR}`];
  // `URL` ignores line breaks and tabs, but the stored text would contain them.
  const hasNoSpaces = !/[\s\p{Cc}]/u.test(url);
  return hasNoSpaces && /^https?:\/\//i.test(url) && URL.canParse(url) ? [] : ['must be a valid URL'];
}

const validateMinimum = (minimum: number, value: number): string[] =>
  value >= minimum ? [] : [`must be greater than or equal to ${minimum}`];

// OAuth applications of secondaries. Users of a secondary sign in with them on the primary.

const buildApplicationInput = ({ url }: Pick<Site, 'url'>) => ({
  name: `Geo node: ${url}`,
  redirectUris: [`${url}oauth/geo/callback`],
});

/** Creates the application of a secondary, or updates its redirect URI to the site's URL. */
async function createOrUpdateApplication(tx: Transaction, site: Site): Promise<Site> {
  if (site.is_primary) return site;
  if (site.oauth_application_id !== null) {
    await updateApplication(tx, site.oauth_application_id, buildApplicationInput(site));
    return site;
  }
  const { application } = await createApplication(tx, {
    ...buildApplicationInput(site),
    scopes: [],
    confidential: true,
  });
  return (await updateSiteRow(tx, site.id, { oauth_application_id: application.id })) ?? site;
}

/** Deletes the OAuth application of a secondary, if it has one. */
export async function deleteSiteApplication(tx: Transaction, { oauth_application_id }: Site): Promise<void> {
  if (oauth_application_id !== null) await deleteApplication(tx, oauth_application_id);
}
