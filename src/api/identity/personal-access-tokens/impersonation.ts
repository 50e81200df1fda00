import type { Caller } from '#authentication/caller.ts';

/**
 * Returns whether the caller acts as this user by an impersonation token. Such a caller gets no token of the user, which
 * would outlive the impersonation and look like the user's own.
 */
export function isImpersonating({ user, token }: Caller, userId: number): boolean {
  return token?.impersonation === true && user?.id === userId;
}
