import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import { type Access, type AccessCall, access, requireSignedInCaller, signedIn } from '#http/access/access.ts';
import { forbidden, unauthorized } from '#http/errors/http-error.ts';
import { loadSettings } from '#settings/settings.ts';

/** Creates the access for signed-in users and loads their user row. Returns 401 if the account was deleted since authentication. */
export function currentUserAccess(): Access<{ caller: SignedInCaller; user: User }> {
  return signedIn().resource({
    name: 'user',
    load: ({ db }: AccessCall, { caller }: { readonly caller: SignedInCaller }) => findUserById(db, caller.user.id),
    notFound: unauthorized,
  });
}

/**
 * Creates the access for user lists. Anonymous callers must filter by username, and get 403 if public visibility is restricted.
 * Only administrators may filter by `extern_uid`.
 */
export function userListAccess(): Access<{ caller: Caller }> {
  return access({
    audience: 'open',
    label: 'open with a username',
    authenticate: () => {},
    load: async ({ caller }) => ({ caller }),
    async authorize(call) {
      if (call.caller.user === null) await requireAnonymousSearch(call);
      const { extern_uid } = call.params;
      if (extern_uid && !isAdministrator(call.caller)) throw forbidden();
    },
  });
}

async function requireAnonymousSearch({ db, params }: AccessCall): Promise<void> {
  const { restricted_visibility_levels } = await loadSettings(db);
  if (params.username && !restricted_visibility_levels.includes('public')) return;
  throw forbidden('Not authorized to access /api/v4/users');
}

/** Creates the access for signed-in callers. Anonymous callers get 403, not 401. */
export function userReadAccess(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'user',
    label: 'user (403)',
    authenticate: () => {},
    async load({ caller }) {
      if (caller.user === null) throw forbidden('Not authorized!');
      return { caller: requireSignedInCaller(caller) };
    },
    authorize: () => {},
  });
}
