import type { Transaction } from '#database/database.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { GROUP_RELATIONS, PROJECT_RELATIONS } from '../bulk-import-relations/index.ts';
import { type EntityServices, runEntity } from './run-entity.ts';
import { cancelUnfinishedImport, cleanUpImports, type ImportJobs, importLockKey, startNextEntities } from './states.ts';
import { findImportById, type ImportRow } from './store.ts';

// The jobs of imports; the queue stores all waiting work, so it continues after a crash.

const jobs: ImportJobs = {
  enqueueEntity: (tx, entityId, runAt) =>
    enqueue(tx, migrateEntity, { entityId }, { key: String(entityId), ...(runAt === undefined ? {} : { runAt }) }),
  enqueueAdvance: (tx, importId) => enqueue(tx, advanceImport, { importId }, { key: String(importId) }),
};

/** The job restarts after each crash, until the import ends or has no progress for a day. */
const UNLIMITED_ATTEMPTS = 1_000_000;

export const advanceImport = defineJob({
  kind: 'advance_bulk_import',
  maxAttempts: UNLIMITED_ATTEMPTS,
  async handle({ database, log }: Pick<Services, 'database' | 'log'>, { importId }: { readonly importId: number }) {
    const row = await findImportById(database.forRequest().reader, importId);
    if (row === undefined) return;
    const finalStatus = await database.transaction((tx) => startNextEntities(tx, jobs, importId), {
      lock: importLockKey(row),
    });
    if (finalStatus !== null) log.info({ import: importId, status: finalStatus }, 'An import has ended');
  },
});

/** Cancels an import in any state. */
export const cancelImport = (tx: Transaction, row: Pick<ImportRow, 'id' | 'user_id'>) =>
  cancelUnfinishedImport(tx, jobs, row);

const migrateEntity = defineJob({
  kind: 'migrate_bulk_import_entity',
  maxAttempts: UNLIMITED_ATTEMPTS,
  isExternal: true,
  handle: (services: EntityServices, { entityId }: { readonly entityId: number }, run) =>
    runEntity(services, jobs, entityId, run.signal),
});

const cleanUpImportsJob = defineJob({
  kind: 'clean_up_bulk_imports',
  async handle({ database, log }: Pick<Services, 'database' | 'log'>) {
    for (const id of await database.transaction((tx) => cleanUpImports(tx, jobs)))
      log.warn({ import: id }, 'An import timed out: it had no progress for a day');
  },
});

const cleanUpImportsRegularly: Schedule<Services> = {
  name: 'bulk_imports',
  cron: '*/10 * * * *',
  job: cleanUpImportsJob,
};

// The exports for other modules.
export { checkDestination } from './destination.ts';
export {
  createSourceClient,
  getSourceBaseUrl,
  getSourceEntityPath,
  INVALID_TOKEN_MESSAGE,
  insertConfiguration,
  type SourceClient,
  type SourceConfiguration,
  SourceFailure,
  type SourceResponse,
} from './source.ts';

/** The relations with counts in the `stats` of entities. */
export const RELATIONS_IN_STATS: ReadonlySet<string> = new Set(
  [...GROUP_RELATIONS, ...PROJECT_RELATIONS].filter(({ isInStats }) => isInStats === true).map(({ name }) => name),
);

/** Jobs that copy groups and projects from other servers. */
export const bulkImportEngine = resourceModule({
  endpoints: {},
  jobs: [advanceImport, migrateEntity, cleanUpImportsJob],
  schedules: [cleanUpImportsRegularly],
});
