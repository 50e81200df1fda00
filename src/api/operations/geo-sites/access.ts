import type { Caller, CallerSite, SignedInCaller } from '#authentication/caller.ts';
import { type Access, type AccessCall, access, administrator, signedInCaller } from '#http/access/access.ts';
import { forbidden, HttpError, nestedNotFound, unauthorized } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findSite } from './store.ts';

/** Who asks of replication sites: administrators, and the sites themselves where they may (contract/operations.md §3.3). */

/** The site that the path names. */
export const siteById = {
  name: 'site',
  params: { id: required(integer) },
  load: ({ db, params }: AccessCall<{ id: number }>) => findSite(db, params.id),
  notFound: nestedNotFound,
} as const;

const WRONG_WAY = [400, '400 Bad request'] as const;

/** Administrators; a site proves itself elsewhere. */
export function ofAdministrators(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'admin',
    label: 'admin',
    async authenticate(call) {
      if (call.caller.site !== undefined) throw new HttpError(WRONG_WAY[0], { message: WRONG_WAY[1] });
      await administrator().authenticate(call);
    },
    load: async ({ caller }) => ({ caller: signedInCaller(caller) }),
    authorize: () => {},
  }).withErrors({ bySite: WRONG_WAY });
}

/** Administrators, or a secondary that changes itself. */
export function ofAdministratorsOrItself() {
  return access({
    audience: 'admin',
    label: 'admin or site',
    async authenticate(call) {
      if (call.caller.site === undefined) await administrator().authenticate(call);
      else askForApi(call.caller.site);
    },
    load: async ({ caller }): Promise<{ caller: Caller }> => ({ caller }),
    authorize: () => {},
  }).resource({
    ...siteById,
    // What is wrong with changing the primary one, it says itself.
    authorize({ caller }, { site }) {
      if (caller.site !== undefined && caller.site.id !== site.id && !site.is_primary) throw forbidden();
    },
  });
}

/** Has the site signed that it wants to speak to the API? Throws 401. */
export function askForApi({ data }: CallerSite): void {
  if (data.scope !== 'geo_api') throw unauthorized();
}
