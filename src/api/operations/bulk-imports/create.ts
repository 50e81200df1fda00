import type { SignedInCaller } from '#authentication/caller.ts';
import type { EntityType } from '#database/tables/bulk-imports.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { checkApplicationLimit } from '#rate-limits/application-limit.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  advanceImport,
  baseOfSource,
  type Configuration,
  checkDestination,
  createSource,
  keepConfiguration,
} from '../bulk-import-engine/index.ts';
import { type CheckedSource, checkSource } from './check-source.ts';
import { type BulkImportRow, importColumns } from './store.ts';

interface GivenEntity {
  readonly source_type: EntityType;
  readonly source_full_path: string;
  readonly destination_namespace: string;
  readonly destination_slug?: string | null | undefined;
  readonly destination_name?: string | null | undefined;
  readonly migrate_projects: boolean;
  readonly migrate_memberships: boolean;
}

interface Given {
  readonly configuration: { readonly url: string; readonly access_token: string };
  readonly entities: readonly GivenEntity[];
}

/** Imports that one user may ask for in a minute. */
const LIMIT = { name: 'bulk_import', limit: 6, periodSeconds: 60 };

interface Call {
  readonly request: Pick<IncomingRequest, 'clientAddress' | 'client'>;
  readonly caller: SignedInCaller;
  readonly ownUrl: string;
}

/** Sources that are asked while their importers wait: each may take its time. */
const places = createConcurrencySlots({ each: 8, all: 32 });

async function checkInPlace<Checked>(
  { clientAddress, client }: Call['request'],
  check: (signal: AbortSignal) => Promise<Checked>,
): Promise<Checked> {
  const leave = await places.take(clientAddress, client);
  try {
    return await check(client.signal);
  } finally {
    leave();
  }
}

/** Asks the source whether it will do, looks where all of it is to go, and begins; the work is the queue's. */
export async function createImport(
  {
    database,
    outbound,
    runUnitOfWork,
    secretKey,
  }: Pick<Services, 'database' | 'outbound' | 'runUnitOfWork' | 'secretKey'>,
  { request, caller, ownUrl }: Call,
  { configuration, entities }: Given,
): Promise<BulkImportRow | Failure<'tooMany' | 'failed'>> {
  const limited = await checkApplicationLimit(database, { ...LIMIT, subject: caller.user.id });
  if (limited !== null) return limited;
  const { url, access_token: token } = configuration;
  const [first] = entities;
  const source = createSource(outbound, { url, token }, caller.user.id);
  const checked = await checkInPlace(request, (signal) => checkSource(source, first!, signal));
  if (isFailure(checked)) return checked;
  const key = await secretKey();
  const begin = (uow: UnitOfWork<SignedInCaller>) =>
    store(uow, { url, token }, new URL(ownUrl).host, checked, entities);
  return runUnitOfWork(caller, async (uow) => {
    const begun = await begin(uow);
    if (!isFailure(begun)) await keepConfiguration(uow, key, begun.id, { url: baseOfSource(url) ?? url, token });
    return begun;
  });
}

async function store(
  uow: UnitOfWork<SignedInCaller>,
  { url, token }: Configuration,
  ownHost: string,
  { version, enterprise }: CheckedSource,
  entities: readonly GivenEntity[],
): Promise<BulkImportRow | Failure<'failed'>> {
  const named = entities.map(({ destination_slug, destination_name, ...entity }) => ({
    ...entity,
    destination_slug: destination_slug ?? destination_name ?? '',
  }));
  const ownSource = URL.parse(url)?.host === ownHost;
  for (const entity of named) {
    const parent = await checkDestination(uow, uow.actor, entity, ownSource);
    if (isFailure(parent)) return parent;
  }
  if (token.length > LONGEST) return tooLong('Access token');
  if (url.length > LONGEST) return tooLong('Url');
  const now = { created_at: uow.now, updated_at: uow.now };
  const row = await uow
    .insertInto('bulk_imports')
    .values({
      user_id: uow.actor.user.id,
      status: 'created',
      source_version: version,
      source_enterprise: enterprise,
      source_url: withoutUserInfo(url),
      ...now,
    })
    .returning(importColumns)
    .executeTakeFirstOrThrow();
  await uow
    .insertInto('bulk_import_entities')
    .values(
      named.map((entity) => ({
        ...entity,
        bulk_import_id: row.id,
        user_id: uow.actor.user.id,
        status: 'created' as const,
        ...now,
      })),
    )
    .execute();
  await enqueue(uow, advanceImport, { importId: row.id }, { key: String(row.id) });
  return row;
}

const LONGEST = 255;
const tooLong = (what: string) =>
  fail('failed', { message: `Validation failed: ${what} is too long (maximum is ${LONGEST} characters)` });

/** As it was given otherwise. */
function withoutUserInfo(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.username === '' && parsed.password === '')) return url;
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}
