import { foldCase } from '#database/name-keys.ts';
import { toStorableText } from '#database/storable-text.ts';
import type { EntityType } from '#database/tables/bulk-imports.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  MISSING_TOKEN,
  type Source,
  type SourceAnswer,
  SourceFailure,
  sourcePath,
} from '../bulk-import-engine/index.ts';

/**
 * What the source must say before an import begins (contract/operations.md §1.1 a to e): that it is one, that its version will
 * do, that the token may, and that what is to be copied is there. Each call once, at most ten seconds each.
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
  token: MISSING_TOKEN,
  version: "Unsupported source version. The minimum supported version is '14'.",
  switchedOff:
    'Migration by direct transfer is disabled on the source or destination instance. ' +
    'Ask an administrator to enable this feature on both instances and try again.',
} as const;

const failed = (message: string): Failure<'failed'> => fail('failed', { message });

/** `signal`: of the one who waits for it. */
export async function checkSource(
  source: Source,
  entity: RequestedEntity,
  signal: AbortSignal,
): Promise<CheckedSource | Failure<'failed'>> {
  const ask = (path: string) => source.ask(path, { totalMs: CALL_MS, signal });
  try {
    const known = await checkVersion(ask);
    if ('code' in known) return known;
    return (
      (known.hasTokenScopes ? await checkToken(ask) : null) ??
      (await checkEntity(ask, entity)) ?? { version: known.version, enterprise: known.enterprise }
    );
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === 'blocked') return failed(`URL is blocked: ${error.message}`);
    return failed(error.kind === 'badAnswer' ? TEXTS.url : error.message);
  }
}

type Ask = (path: string) => Promise<SourceAnswer>;

interface Version extends CheckedSource {
  /** From 15.5 on a token can be asked what it may. */
  readonly hasTokenScopes: boolean;
}

async function checkVersion(ask: Ask): Promise<Version | Failure<'failed'>> {
  const first = await ask('/version');
  const answer = isSuccess(first) ? first : await ask('/metadata');
  const statuses = [first.status, answer.status];
  if (isSuccess(answer)) {
    const { version, enterprise } = Object(answer.value) as { version?: unknown; enterprise?: unknown };
    const [, major, minor] = (typeof version === 'string' && /^(\d{1,4})\.(\d{1,4})/.exec(version)) || [];
    if (major === undefined || minor === undefined) return failed(TEXTS.url);
    if (Number(major) < 14) return failed(TEXTS.version);
    const hasTokenScopes = Number(major) > 15 || (Number(major) === 15 && Number(minor) >= 5);
    return {
      version: toStorableText((version as string).slice(0, 255)),
      enterprise: enterprise === true,
      hasTokenScopes,
    };
  }
  if (statuses.some(isForbidden)) return failed(TEXTS.token);
  if (answer.status === 404) return failed(TEXTS.url);
  return failed(unsuccessful(answer, '/metadata'));
}

async function checkToken(ask: Ask): Promise<Failure<'failed'> | null> {
  const path = '/personal_access_tokens/self';
  const answer = await ask(path);
  if (isForbidden(answer.status) || answer.status === 404) return failed(TEXTS.token);
  if (!isSuccess(answer)) return failed(unsuccessful(answer, path));
  const { scopes } = Object(answer.value) as { scopes?: unknown };
  return Array.isArray(scopes) && scopes.includes('api') ? null : failed(TEXTS.token);
}

async function checkEntity(ask: Ask, entity: RequestedEntity): Promise<Failure<'failed'> | null> {
  const { source_type, source_full_path } = entity;
  const missing = failed(`Import failed. '${source_full_path}' not found.`);
  const path = sourcePath(entity);
  const answer = await ask(path);
  if (isForbidden(answer.status)) return failed(TEXTS.token);
  if (answer.status === 404) return missing;
  if (!isSuccess(answer)) return failed(unsuccessful(answer, path));
  const said = Object(answer.value) as Record<string, unknown>;
  const fullPath = source_type === 'group_entity' ? said.full_path : said.path_with_namespace;
  // Digits were taken for an id.
  if (typeof fullPath !== 'string' || foldCase(fullPath) !== foldCase(source_full_path)) return missing;
  if (!Number.isSafeInteger(said.id)) return missing;
  return checkExport(ask, entity, said.id as number);
}

async function checkExport(ask: Ask, entity: RequestedEntity, id: number): Promise<Failure<'failed'> | null> {
  const path = `/${entity.source_type === 'group_entity' ? 'groups' : 'projects'}/${id}/export_relations/status`;
  const answer = await ask(path);
  if (answer.status === 404) return failed(TEXTS.switchedOff);
  if (answer.status === 403) {
    return failed(`Import failed. You do not have permission to export '${entity.source_full_path}'.`);
  }
  if (answer.status === 401) return failed(TEXTS.token);
  return isSuccess(answer) ? null : failed(unsuccessful(answer, path));
}

const isSuccess = ({ status }: SourceAnswer): boolean => status >= 200 && status <= 299;
const isForbidden = (status: number): boolean => status === 401 || status === 403;
const unsuccessful = ({ status }: SourceAnswer, path: string) => `Unsuccessful response ${status} from /api/v4${path}`;
