import { BULK_IMPORT_STATES } from '#database/schema.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { TOO_MANY_REQUESTS } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { cancelImport } from '../bulk-import-engine/index.ts';
import { bulkImportAccess, cancelImportAccess, ownEntityAccess, ownImportAccess } from './access.ts';
import { createImport } from './create.ts';
import { BulkImport, BulkImportEntity, BulkImportFailure } from './entities.ts';
import { createBulkImportParams } from './parameters.ts';
import { type BulkImportRow, listEntities, listFailures, listImports } from './store.ts';

const listParams = {
  sort: optional(oneOf('asc', 'desc'), 'desc'),
  status: optional(oneOf(...BULK_IMPORT_STATES)),
};

export const createBulkImport = endpoint({
  post: '/bulk_imports',
  summary: 'Copy groups and projects from another server',
  access: bulkImportAccess,
  params: createBulkImportParams,
  errors: { tooMany: TOO_MANY_REQUESTS, failed: [422, '{message}'] },
  activity: ['group_created'],
  response: created(BulkImport),
  handle: ({ request, caller, params: input, base }, services) =>
    createImport(services, { request, caller, serverUrl: base.url }, input),
});

export const listBulkImports = endpoint({
  get: '/bulk_imports',
  summary: 'List your imports',
  access: bulkImportAccess,
  params: listParams,
  response: page(BulkImport),
  read: (db, { caller, params: filter, page }) => listImports(db, caller.user.id, filter, page),
});

export const listAllBulkImportEntities = endpoint({
  get: '/bulk_imports/entities',
  summary: 'List entities of all your imports',
  access: bulkImportAccess,
  params: listParams,
  response: page(BulkImportEntity),
  read: (db, { caller, params: filter, page }) => listEntities(db, { userId: caller.user.id }, filter, page),
});

export const getBulkImport = endpoint({
  get: '/bulk_imports/:import_id',
  summary: 'Get an import',
  access: ownImportAccess,
  response: ok(BulkImport),
  read: (_db, { bulkImport }) => bulkImport,
});

export const listBulkImportEntities = endpoint({
  get: '/bulk_imports/:import_id/entities',
  summary: 'List entities of an import',
  access: ownImportAccess,
  params: listParams,
  response: page(BulkImportEntity),
  read: (db, { bulkImport, params: filter, page }) => listEntities(db, { importId: bulkImport.id }, filter, page),
});

export const getBulkImportEntity = endpoint({
  get: '/bulk_imports/:import_id/entities/:entity_id',
  summary: 'Get an entity of an import',
  access: ownEntityAccess,
  response: ok(BulkImportEntity),
  read: (_db, { bulkImportEntity }) => bulkImportEntity,
});

export const listBulkImportFailures = endpoint({
  get: '/bulk_imports/:import_id/entities/:entity_id/failures',
  summary: 'List failed import records of an entity',
  access: ownEntityAccess,
  response: page(BulkImportFailure),
  read: (db, { bulkImportEntity, page }) => listFailures(db, bulkImportEntity.id, page),
});

export const cancelBulkImport = endpoint({
  post: '/bulk_imports/:import_id/cancel',
  summary: 'Cancel an import and keep the imported data',
  access: cancelImportAccess,
  response: ok(BulkImport),
  async write(uow, { bulkImport }): Promise<BulkImportRow> {
    await cancelImport(uow, bulkImport);
    return { ...bulkImport, status: 'canceled', updated_at: uow.now };
  },
});
