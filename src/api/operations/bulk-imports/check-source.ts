import { foldCase } from '#database/name-keys.ts';
import { toStorableText } from '#database/storable-text.ts';
import type { EntityType } from '#database/tables/bulk-imports.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  getSourceEntityPath,
  INVALID_TOKEN_MESSAGE,
  type Source,
  SourceFailure,
  type SourceResponse,
} from '../bulk-import-engine/index.ts';

/**
 * Checks the source before an import starts (contract/operations.md §1.1 a to e): its version, the scopes of the token, and that
 * the entity exists. Each call is made once and takes at most ten seconds.
 */

export interface CheckedSource {
  readonly version: string;
  readonly enterprise: boolean;
}

export interface RequestedEntity {
  readonly source_type: EntityType;
  readonly source_full_path: string;
}

const CALL_MS = 10_000;

const TEXTS = {
  url: 'Invalid source URL. Enter only the base URL of the source instance.',
  token: INVALID_TOKEN_MESSAGE,
  version: "Unsupported source version. The minimum supported version is '14'.",
  disabled:
    'Migration by direct transfer is disabled on the source or destination instance. ' +
    'Ask an administrator to enable this feature on both instances and try again.',
} as const;

const failCheck = (message: string): Failure<'failed'> => fail('failed', { message });

/** Checks the source and its first entity. `signal`: aborted when the client disconnects. */
export async function checkSource(
  source: Source,
  entity: RequestedEntity,
  signal: AbortSignal,
): Promise<CheckedSource | Failure<'failed'>> {
  const get = (path: string) => source.get(path, { totalMs: CALL_MS, signal });
  try {
    const version = await checkVersion(get);
    if ('code' in version) return version;
    return (
      (version.hasTokenScopes ? await checkToken(get) : null) ??
      (await checkEntity(get, entity)) ?? { version: version.version, enterprise: version.enterprise }
    );
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === 'blocked') return failCheck(`URL is blocked: ${error.message}`);
    return failCheck(error.kind === 'badAnswer' ? TEXTS.url : error.message);
  }
}

type GetFromSource = (path: string) => Promise<SourceResponse>;

interface VersionCheck extends CheckedSource {
  /** Whether the source can return the scopes of a token: since 15.5. */
  readonly hasTokenScopes: boolean;
}

async function checkVersion(get: GetFromSource): Promise<VersionCheck | Failure<'failed'>> {
  const first = await get('/version');
  const response = isSuccess(first) ? first : await get('/metadata');
  const statuses = [first.status, response.status];
  if (isSuccess(response)) {
    const { version, enterprise } = Object(response.value) as { version?: unknown; enterprise?: unknown };
    const [, major, minor] = (typeof version === 'string' && /^(\d{1,4})\.(\d{1,4})/.exec(version)) || [];
    if (major === undefined || minor === undefined) return failCheck(TEXTS.url);
    if (Number(major) < 14) return failCheck(TEXTS.version);
    const hasTokenScopes = Number(major) > 15 || (Number(major) === 15 && Number(minor) >= 5);
    return {
      version: toStorableText((version as string).slice(0, 255)),
      enterprise: enterprise === true,
      hasTokenScopes,
    };
  }
  if (statuses.some(isForbidden)) return failCheck(TEXTS.token);
  if (response.status === 404) return failCheck(TEXTS.url);
  return failCheck(unsuccessfulMessage(response, '/metadata'));
}

async function checkToken(get: GetFromSource): Promise<Failure<'failed'> | null> {
  const path = '/personal_access_tokens/self';
  const response = await get(path);
  if (isForbidden(response.status) || response.status === 404) return failCheck(TEXTS.token);
  if (!isSuccess(response)) return failCheck(unsuccessfulMessage(response, path));
  const { scopes } = Object(response.value) as { scopes?: unknown };
  return Array.isArray(scopes) && scopes.includes('api') ? null : failCheck(TEXTS.token);
}

async function checkEntity(get: GetFromSource, entity: RequestedEntity): Promise<Failure<'failed'> | null> {
  const { source_type, source_full_path } = entity;
  const missing = failCheck(`Import failed. '${source_full_path}' not found.`);
  const path = getSourceEntityPath(entity);
  const response = await get(path);
  if (isForbidden(response.status)) return failCheck(TEXTS.token);
  if (response.status === 404) return missing;
  if (!isSuccess(response)) return failCheck(unsuccessfulMessage(response, path));
  const sourceEntity = Object(response.value) as Record<string, unknown>;
  const fullPath = source_type === 'group_entity' ? sourceEntity.full_path : sourceEntity.path_with_namespace;
  // The source took a numeric path for an id.
  if (typeof fullPath !== 'string' || foldCase(fullPath) !== foldCase(source_full_path)) return missing;
  if (!Number.isSafeInteger(sourceEntity.id)) return missing;
  return checkExport(get, entity, sourceEntity.id as number);
}

async function checkExport(get: GetFromSource, entity: RequestedEntity, id: number): Promise<Failure<'failed'> | null> {
  const path = `/${entity.source_type === 'group_entity' ? 'groups' : 'projects'}/${id}/export_relations/status`;
  const response = await get(path);
  if (response.status === 404) return failCheck(TEXTS.disabled);
  if (response.status === 403) {
    return failCheck(`Import failed. You do not have permission to export '${entity.source_full_path}'.`);
  }
  if (response.status === 401) return failCheck(TEXTS.token);
  return isSuccess(response) ? null : failCheck(unsuccessfulMessage(response, path));
}

const isSuccess = ({ status }: SourceResponse): boolean => status >= 200 && status <= 299;
const isForbidden = (status: number): boolean => status === 401 || status === 403;
const unsuccessfulMessage = ({ status }: SourceResponse, path: string) =>
  `Unsuccessful response ${status} from /api/v4${path}`;
