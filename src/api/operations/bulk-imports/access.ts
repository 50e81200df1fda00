import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { type Access, type AccessCall, signedIn } from '#http/access/access.ts';
import { forbidden, genericNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { loadSettings } from '#settings/settings.ts';
import { findEntity, findImport } from './store.ts';

// Access to imports (contract/operations.md §1).

/** Responds 404 if imports are disabled, unless a feature flag allows them for the caller. */
export async function requireImportsEnabled({ db, caller, services }: AccessCall): Promise<void> {
  if ((await loadSettings(db)).bulk_import_enabled) return;
  const { tier } = services.config;
  const actor = caller.user === null ? {} : { actor: { type: 'User', id: caller.user.id } as const };
  if (!(await isFeatureEnabled(db, { flag: 'override_bulk_import_disabled', tier, ...actor }))) throw notFound();
}

export const bulkImportAccess: Access<{ caller: SignedInCaller }> = signedIn().whenEnabled(requireImportsEnabled);

/** Access to an import of the caller. Imports of other users get 404, also for administrators. */
export const ownImportAccess = bulkImportAccess.resource({
  name: 'bulkImport',
  params: { import_id: required(integer) },
  load: async ({ db, params }, { caller }) => {
    const bulkImport = await findImport(db, params.import_id);
    return bulkImport?.user_id === caller.user.id ? bulkImport : null;
  },
  notFound: genericNotFound,
});

export const ownEntityAccess = ownImportAccess.resource({
  name: 'bulkImportEntity',
  params: { entity_id: required(integer) },
  load: ({ db, params }, { bulkImport }) => findEntity(db, bulkImport.id, params.entity_id),
  notFound: genericNotFound,
});

/** Access to cancel an import: 403 for imports of other users, except for administrators. */
export const cancelImportAccess = bulkImportAccess.resource({
  name: 'bulkImport',
  params: { import_id: required(integer) },
  load: ({ db, params }) => findImport(db, params.import_id),
  notFound: genericNotFound,
  authorize({ caller }, { bulkImport }) {
    if (bulkImport.user_id !== caller.user?.id && !isAdministrator(caller)) throw forbidden();
  },
});
