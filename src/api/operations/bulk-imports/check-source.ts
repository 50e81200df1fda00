import type { Columns } from '#database/database.ts';
import { toStorableText } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  getSourceEntityPath,
  INVALID_TOKEN_MESSAGE,
  type SourceClient,
  SourceFailure,
  type SourceResponse,
} from '../bulk-import-engine/index.ts';

// Checks the source before an import starts (contract/operations.md §1.1 a to e): its version, the scopes of the token, and that
// the entity exists. Each call is made once and takes at most ten seconds.

export interface CheckedSource {
  readonly version: string;
  readonly enterprise: boolean;
}

type RequestedEntity = Columns<'bulk_import_entities', 'source_type' | 'source_full_path'>;

const CALL_TIMEOUT_MS = 10_000;

const MESSAGES = {
  invalidUrl: 'Invalid source URL. Enter only the base URL of the source instance.',
  invalidToken: INVALID_TOKEN_MESSAGE,
  unsupportedVersion: "Unsupported source version. The minimum supported version is '14'.",
  importsDisabled:
    'Migration by direct transfer is disabled on the source or destination instance. ' +
    'Ask an administrator to enable this feature on both instances and try again.',
} as const;

const failCheck = (message: string): Failure<'failed'> => fail('failed', { message });

/**
 * Checks the source and the first entity of the request. Returns the version of the source, or the failure. `signal`: aborted
 * when the client disconnects.
 */
export async function checkSource(
  source: SourceClient,
  entity: RequestedEntity,
  signal: AbortSignal,
): Promise<CheckedSource | Failure<'failed'>> {
  const get = (path: string) => source.get(path, { totalMs: CALL_TIMEOUT_MS, signal });
  try {
    const versionCheck = await checkVersion(get);
    if ('code' in versionCheck) return versionCheck;
    return (
      (versionCheck.hasTokenScopes ? await checkToken(get) : null) ??
      (await checkEntity(get, entity)) ?? { version: versionCheck.version, enterprise: versionCheck.enterprise }
    );
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === 'blocked') return failCheck(`URL is blocked: ${error.message}`);
    return failCheck(error.kind === 'invalidResponse' ? MESSAGES.invalidUrl : error.message);
  }
}

type GetFromSource = (path: string) => Promise<SourceResponse>;

interface VersionCheck extends CheckedSource {
  /** Whether the source can return the scopes of a token. True since version 15.5. */
  readonly hasTokenScopes: boolean;
}

/** Returns the version of the source, or the failure. */
async function checkVersion(get: GetFromSource): Promise<VersionCheck | Failure<'failed'>> {
  const versionResponse = await get('/version');
  // `/metadata` replaces the deprecated `/version`.
  const response = isSuccess(versionResponse) ? versionResponse : await get('/metadata');
  const statuses = [versionResponse.status, response.status];
  if (isSuccess(response)) {
    // `Object()` turns null and scalars of the untrusted source into objects.
    const { version, enterprise } = Object(response.json) as { version?: unknown; enterprise?: unknown };
    const [, major, minor] = (typeof version === 'string' && /^(\d{1,4})\.(\d{1,4})/.exec(version)) || [];
    if (major === undefined || minor === undefined) return failCheck(MESSAGES.invalidUrl);
    if (Number(major) < 14) return failCheck(MESSAGES.unsupportedVersion);
    const hasTokenScopes = Number(major) > 15 || (Number(major) === 15 && Number(minor) >= 5);
    return {
      version: toStorableText((version as string).slice(0, 255)),
      enterprise: enterprise === true,
      hasTokenScopes,
    };
  }
  if (statuses.some(isAccessDenied)) return failCheck(MESSAGES.invalidToken);
  if (response.status === 404) return failCheck(MESSAGES.invalidUrl);
  return failCheck(formatUnsuccessfulMessage(response, '/metadata'));
}

/** Returns null if the token has the scope `api`, otherwise the failure. */
async function checkToken(get: GetFromSource): Promise<Failure<'failed'> | null> {
  const path = '/personal_access_tokens/self';
  const response = await get(path);
  if (isAccessDenied(response.status) || response.status === 404) return failCheck(MESSAGES.invalidToken);
  if (!isSuccess(response)) return failCheck(formatUnsuccessfulMessage(response, path));
  const { scopes } = Object(response.json) as { scopes?: unknown };
  return Array.isArray(scopes) && scopes.includes('api') ? null : failCheck(MESSAGES.invalidToken);
}

/** Returns null if the entity exists and the owner of the token may export it, otherwise the failure. */
async function checkEntity(get: GetFromSource, entity: RequestedEntity): Promise<Failure<'failed'> | null> {
  const { source_type, source_full_path } = entity;
  const notFoundFailure = failCheck(`Import failed. '${source_full_path}' not found.`);
  const path = getSourceEntityPath(entity);
  const response = await get(path);
  if (isAccessDenied(response.status)) return failCheck(MESSAGES.invalidToken);
  if (response.status === 404) return notFoundFailure;
  if (!isSuccess(response)) return failCheck(formatUnsuccessfulMessage(response, path));
  const sourceEntity = Object(response.json) as Record<string, unknown>;
  const fullPath = source_type === 'group_entity' ? sourceEntity.full_path : sourceEntity.path_with_namespace;
  // The source reads a numeric path as an id, and may return another entity.
  if (typeof fullPath !== 'string' || foldCase(fullPath) !== foldCase(source_full_path)) return notFoundFailure;
  if (!Number.isSafeInteger(sourceEntity.id)) return notFoundFailure;
  return checkExport(get, entity, sourceEntity.id as number);
}

/** Returns null if the owner of the token may export the entity, otherwise the failure. */
async function checkExport(get: GetFromSource, entity: RequestedEntity, id: number): Promise<Failure<'failed'> | null> {
  const path = `/${entity.source_type === 'group_entity' ? 'groups' : 'projects'}/${id}/export_relations/status`;
  const response = await get(path);
  if (response.status === 404) return failCheck(MESSAGES.importsDisabled);
  if (response.status === 403) {
    return failCheck(`Import failed. You do not have permission to export '${entity.source_full_path}'.`);
  }
  if (response.status === 401) return failCheck(MESSAGES.invalidToken);
  return isSuccess(response) ? null : failCheck(formatUnsuccessfulMessage(response, path));
}

const isSuccess = ({ status }: SourceResponse): boolean => status >= 200 && status <= 299;
const isAccessDenied = (status: number): boolean => status === 401 || status === 403;
const formatUnsuccessfulMessage = ({ status }: SourceResponse, path: string) =>
  `Unsuccessful response ${status} from /api/v4${path}`;
