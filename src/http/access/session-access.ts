import type { SignedInCaller } from '#authentication/caller.ts';
import { forbidden } from '../errors/http-error.ts';
import { type Access, access, requireSignedIn, requireSignedInCaller } from './access.ts';

/** A caller whose credential is the session cookie of a browser. */
export interface SessionCaller extends SignedInCaller {
  readonly sessionDigest: string;
}

/**
 * Allows users by the session cookie only, for changes that must not be possible with a stolen token (contract/web.md §3);
 * others get 403.
 */
export function browserSession(): Access<{ caller: SessionCaller }> {
  return access({
    audience: 'user',
    label: 'user session',
    authenticate(call) {
      requireSignedIn(call);
      if (call.caller.sessionDigest === undefined) throw forbidden();
    },
    async load(call) {
      const { sessionDigest, ...caller } = requireSignedInCaller(call.caller);
      if (sessionDigest === undefined) throw forbidden();
      return { caller: { ...caller, sessionDigest } };
    },
    authorize: () => {},
  });
}
