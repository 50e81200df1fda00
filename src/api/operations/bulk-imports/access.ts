import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { type Access, type AccessCall, signedIn } from '#http/access/access.ts';
import { forbidden, nestedNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { loadSettings } from '#settings/settings.ts';
import { findEntity, findImport } from './store.ts';

/** Who may see and cancel which import (contract/operations.md §1). */

/** A route that is switched off is none, to anybody but those whom a flag lets in all the same. */
export async function refuseSwitchedOff({ db, caller, services }: AccessCall): Promise<void> {
  if ((await loadSettings(db)).bulk_import_enabled) return;
  const { tier } = services.config;
  const actor = caller.user === null ? {} : { actor: { type: 'User', id: caller.user.id } as const };
  if (!(await isFeatureEnabled(db, { flag: 'override_bulk_import_disabled', tier, ...actor }))) throw notFound();
}

export const importing: Access<{ caller: SignedInCaller }> = signedIn().whenEnabled(refuseSwitchedOff);

/** The caller's own import: nobody learns of others', administrators neither. */
export const ownImport = importing.resource({
  name: 'bulkImport',
  params: { import_id: required(integer) },
  load: async ({ db, params }, { caller }) => {
    const found = await findImport(db, params.import_id);
    return found?.user_id === caller.user.id ? found : null;
  },
  notFound: nestedNotFound,
});

export const ownEntity = ownImport.resource({
  name: 'migrated',
  params: { entity_id: required(integer) },
  load: ({ db, params }, { bulkImport }) => findEntity(db, bulkImport.id, params.entity_id),
  notFound: nestedNotFound,
});

/** Whoever else asks is told that it is not his: he may be an administrator of another day. */
export const importToCancel = importing.resource({
  name: 'bulkImport',
  params: { import_id: required(integer) },
  load: ({ db, params }) => findImport(db, params.import_id),
  notFound: nestedNotFound,
  authorize({ caller }, { bulkImport }) {
    if (bulkImport.user_id !== caller.user?.id && !isAdministrator(caller)) throw forbidden();
  },
});
