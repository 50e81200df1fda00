import type { Transaction } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { runEntity } from './run-entity.ts';
import { advance, cancel, importLockKey, sweep, type Work } from './states.ts';
import { type ImportRow, readImport } from './store.ts';

/** The queue's part in imports: whatever waits, waits there, and goes on after a crash. */

const work: Work = {
  entity: (tx, entityId, runAt) =>
    enqueue(tx, migrateEntity, { entityId }, { key: String(entityId), ...(runAt === undefined ? {} : { runAt }) }),
  next: (tx, importId) => enqueue(tx, advanceImport, { importId }, { key: String(importId) }),
};

/** It is begun again after each crash, until it ends or has stood still for a day. */
const ALWAYS = 1_000_000;

export const advanceImport = defineJob({
  kind: 'advance_bulk_import',
  maxAttempts: ALWAYS,
  async handle({ database, log }: Services, { importId }: { readonly importId: number }) {
    const row = await readImport(database.forRequest().reader, importId);
    if (row === undefined) return;
    const ended = await database.transaction((tx) => advance(tx, work, importId), { lock: importLockKey(row) });
    if (ended !== null) log.info({ import: importId, status: ended }, 'An import has ended');
  },
});

/** Ends an import wherever it is. */
export const cancelImport = (tx: Transaction, row: Pick<ImportRow, 'id' | 'user_id'>) => cancel(tx, work, row);

export const migrateEntity = defineJob({
  kind: 'migrate_bulk_import_entity',
  maxAttempts: ALWAYS,
  isExternal: true,
  handle: (services: Services, { entityId }: { readonly entityId: number }, run) =>
    runEntity(services, work, entityId, run.signal),
});

export const sweepImports = defineJob({
  kind: 'sweep_bulk_imports',
  async handle({ database, log }: Services) {
    for (const id of await database.transaction((tx) => sweep(tx, work)))
      log.warn({ import: id }, 'An import has stood still for a day');
  },
});

export const sweepImportsOften: Schedule<Services> = { name: 'bulk_imports', cron: '*/10 * * * *', job: sweepImports };
