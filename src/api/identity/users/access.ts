import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { readUser, type User } from '#authentication/users/users.ts';
import { type Access, type AccessCall, access, signedIn, signedInCaller } from '#http/access/access.ts';
import { forbidden, unauthorized } from '#http/errors/http-error.ts';
import { readSettings } from '#settings/settings.ts';

/** Any signed-in user, with all that is known of the user. The account may have ended since the credentials were looked at. */
export function beingOneself(): Access<{ caller: SignedInCaller; user: User }> {
  return signedIn().resource({
    name: 'user',
    load: ({ db }: AccessCall, { caller }: { readonly caller: SignedInCaller }) => readUser(db, caller.user.id),
    notFound: unauthorized,
  });
}

/** Everybody may look for a user by name, unless nothing of the instance is public; only signed-in callers may list users. */
export function listingUsers(): Access<{ caller: Caller }> {
  return access({
    audience: 'open',
    label: 'open with a username',
    authenticate: () => {},
    load: async ({ caller }) => ({ caller }),
    async authorize(call) {
      if (call.caller.user === null) await allowAnonymousSearch(call);
      const { extern_uid } = call.params;
      if (extern_uid && !isAdministrator(call.caller)) throw forbidden();
    },
  });
}

async function allowAnonymousSearch({ db, params }: AccessCall): Promise<void> {
  const { restricted_visibility_levels } = await readSettings(db);
  if (params.username && !restricted_visibility_levels.includes('public')) return;
  throw forbidden('Not authorized to access /api/v4/users');
}

/** Signed-in callers; anonymous ones get 403 where others get 401. */
export function readingUsers(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'user',
    label: 'user (403)',
    authenticate: () => {},
    async load({ caller }) {
      if (caller.user === null) throw forbidden('Not authorized!');
      return { caller: signedInCaller(caller) };
    },
    authorize: () => {},
  });
}
