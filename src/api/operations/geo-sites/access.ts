import type { Caller, CallerSite, SignedInCaller } from '#authentication/caller.ts';
import { type Access, type AccessCall, access, administrator, requireSignedInCaller } from '#http/access/access.ts';
import { forbidden, genericNotFound, HttpError, unauthorized } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findSite } from './store.ts';

// Access to replication sites for administrators, and for some endpoints the site itself (contract/operations.md §3.3).

/** Resource: the site `:id`. */
export const siteResource = {
  name: 'site',
  params: { id: required(integer) },
  load: ({ db, params }: AccessCall<{ id: number }>) => findSite(db, params.id),
  notFound: genericNotFound,
} as const;

const SITE_NOT_ALLOWED = [400, '400 Bad request'] as const;

/** Creates the access for administrators only. Requests with site credentials get 400. */
export function administratorAccess(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'admin',
    label: 'admin',
    async authenticate(call) {
      if (call.caller.site !== undefined) throw new HttpError(SITE_NOT_ALLOWED[0], { message: SITE_NOT_ALLOWED[1] });
      await administrator().authenticate(call);
    },
    load: async ({ caller }) => ({ caller: requireSignedInCaller(caller) }),
    authorize: () => {},
  }).withErrors({ callerIsSite: SITE_NOT_ALLOWED });
}

/** Creates the access for administrators, and for a secondary that updates itself. */
export function administratorOrSiteAccess() {
  return access({
    audience: 'admin',
    label: 'admin or site',
    async authenticate(call) {
      if (call.caller.site === undefined) await administrator().authenticate(call);
      else requireApiScope(call.caller.site);
    },
    load: async ({ caller }): Promise<{ caller: Caller }> => ({ caller }),
    authorize: () => {},
  }).resource({
    ...siteResource,
    // A site may also address the primary: it then gets the error of the validation in place of 403.
    authorize({ caller }, { site }) {
      if (caller.site !== undefined && caller.site.id !== site.id && !site.is_primary) throw forbidden();
    },
  });
}

/** Throws 401 unless the site's token is signed for the scope `geo_api`. */
export function requireApiScope({ claims }: CallerSite): void {
  if (claims.scope !== 'geo_api') throw unauthorized();
}
