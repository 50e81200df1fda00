import type { Caller } from '#authentication/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { insufficientScope } from '../errors/http-error.ts';

/** Throws 403 unless the token has a scope that the endpoint accepts (contract/conventions.md §7 "Scopes"). */
export function requireScopes(endpoint: Pick<Endpoint, 'scopes' | 'anyScope'>, caller: Caller, method: string): void {
  // Job tokens have no scopes; the endpoints that accept them declare `allowJobToken`.
  if (caller.token === null || caller.token.kind === 'job' || endpoint.anyScope) return;
  const acceptedScopes = listAcceptedScopes(endpoint, method);
  if (!caller.token.scopes.some((scope) => acceptedScopes.includes(scope))) throw insufficientScope(acceptedScopes);
}

/** Returns the acceptedScopes scopes: those of the endpoint first, then the general ones. */
function listAcceptedScopes({ scopes }: Pick<Endpoint, 'scopes'>, method: string): readonly string[] {
  const isRead = method === 'GET' || method === 'HEAD';
  return [...scopes, 'api', ...(isRead ? ['read_api'] : [])];
}
