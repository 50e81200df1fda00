import type { SignedInCaller } from '#authentication/caller.ts';
import type { Columns } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { checkApplicationLimit } from '#rate-limits/application-limit.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  advanceImport,
  checkDestination,
  createSourceClient,
  getSourceBaseUrl,
  insertConfiguration,
  type SourceConfiguration,
} from '../bulk-import-engine/index.ts';
import { type CheckedSource, checkSource } from './check-source.ts';
import { type BulkImportRow, importColumns } from './store.ts';

interface BulkImportEntityInput
  extends Columns<
    'bulk_import_entities',
    'source_type' | 'source_full_path' | 'destination_namespace' | 'migrate_projects' | 'migrate_memberships'
  > {
  readonly destination_slug?: string | null | undefined;
  /** Former name of `destination_slug`; the endpoint requires exactly one of both. */
  readonly destination_name?: string | null | undefined;
}

interface CreateBulkImportInput {
  readonly configuration: { readonly url: string; readonly access_token: string };
  readonly entities: readonly BulkImportEntityInput[];
}

/** Maximum number of imports that one user may create in a minute. */
const CREATE_LIMIT = { name: 'bulk_import', limit: 6, periodSeconds: 60 };

interface CallContext {
  readonly request: Pick<IncomingRequest, 'clientAddress' | 'client'>;
  readonly caller: SignedInCaller;
  readonly serverUrl: string;
}

/** Limits concurrent checks of sources, because a source may be slow while the client waits. */
const sourceCheckSlots = createConcurrencySlots({ perNetwork: 8, total: 32 });

/** Runs a check as soon as a slot is free. */
async function checkInSlot<Result>(
  { clientAddress, client }: CallContext['request'],
  check: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const release = await sourceCheckSlots.take(clientAddress, client);
  try {
    return await check(client.signal);
  } finally {
    release();
  }
}

/** Checks the source and the destinations, creates the import and enqueues its first job. Fails with `tooMany` or `failed`. */
export async function createImport(
  {
    database,
    outbound,
    runUnitOfWork,
    secretKey,
  }: Pick<Services, 'database' | 'outbound' | 'runUnitOfWork' | 'secretKey'>,
  { request, caller, serverUrl }: CallContext,
  { configuration, entities }: CreateBulkImportInput,
): Promise<BulkImportRow | Failure<'tooMany' | 'failed'>> {
  const rateLimitFailure = await checkApplicationLimit(database, { ...CREATE_LIMIT, subject: caller.user.id });
  if (rateLimitFailure !== null) return rateLimitFailure;
  const { url, access_token: token } = configuration;
  // As in GitLab, only the first entity is checked before the import starts.
  const [firstEntity] = entities;
  const source = createSourceClient(outbound, { url, token }, caller.user.id);
  const checkedSource = await checkInSlot(request, (signal) => checkSource(source, firstEntity!, signal));
  if (isFailure(checkedSource)) return checkedSource;
  const key = await secretKey();
  const insert = (uow: UnitOfWork<SignedInCaller>) =>
    insertImport(uow, { url, token }, new URL(serverUrl).host, checkedSource, entities);
  return runUnitOfWork(caller, async (uow) => {
    const row = await insert(uow);
    if (!isFailure(row)) await insertConfiguration(uow, key, row.id, { url: getSourceBaseUrl(url) ?? url, token });
    return row;
  });
}

/** Checks all destinations, inserts the import with its entities and enqueues its first job. */
async function insertImport(
  uow: UnitOfWork<SignedInCaller>,
  { url, token }: SourceConfiguration,
  serverHost: string,
  { version, enterprise }: CheckedSource,
  entities: readonly BulkImportEntityInput[],
): Promise<BulkImportRow | Failure<'failed'>> {
  const entitiesWithSlug = entities.map(({ destination_slug, destination_name, ...entity }) => ({
    ...entity,
    destination_slug: destination_slug ?? destination_name ?? '',
  }));
  const isOwnSource = URL.parse(url)?.host === serverHost;
  for (const entity of entitiesWithSlug) {
    const parent = await checkDestination(uow, uow.actor, entity, isOwnSource);
    if (isFailure(parent)) return parent;
  }
  if (token.length > MAX_TEXT_LENGTH) return failTooLong('Access token');
  if (url.length > MAX_TEXT_LENGTH) return failTooLong('Url');
  const timestamps = { created_at: uow.now, updated_at: uow.now };
  const row = await uow
    .insertInto('bulk_imports')
    .values({
      user_id: uow.actor.user.id,
      status: 'created',
      source_version: version,
      source_enterprise: enterprise,
      source_url: removeUserInfo(url),
      ...timestamps,
    })
    .returning(importColumns)
    .executeTakeFirstOrThrow();
  await uow
    .insertInto('bulk_import_entities')
    .values(
      entitiesWithSlug.map((entity) => ({
        ...entity,
        bulk_import_id: row.id,
        user_id: uow.actor.user.id,
        status: 'created' as const,
        ...timestamps,
      })),
    )
    .execute();
  await enqueue(uow, advanceImport, { importId: row.id }, { key: String(row.id) });
  return row;
}

/** Maximum length of the URL and of the token, in characters. */
const MAX_TEXT_LENGTH = 255;
const failTooLong = (field: string) =>
  fail('failed', { message: `Validation failed: ${field} is too long (maximum is ${MAX_TEXT_LENGTH} characters)` });

/** Returns the URL without user info, otherwise unchanged. */
function removeUserInfo(url: string): string {
  const parsedUrl = URL.parse(url);
  if (parsedUrl === null || (parsedUrl.username === '' && parsedUrl.password === '')) return url;
  parsedUrl.username = '';
  parsedUrl.password = '';
  return parsedUrl.href;
}
