import type { Caller } from '#authentication/caller.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { insufficientScope } from '../errors/http-error.ts';

/** Does the token carry a scope that the endpoint takes (contract/conventions.md §7 "Scopes")? Otherwise 403. */
export function checkScopes(endpoint: Pick<Endpoint, 'scopes' | 'anyScope'>, caller: Caller, method: string): void {
  // The token of a job has no scopes: it counts on the endpoints that take it, and on no other.
  if (caller.token === null || caller.token.kind === 'job' || endpoint.anyScope) return;
  const fitting = fittingScopes(endpoint, method);
  if (!caller.token.scopes.some((scope) => fitting.includes(scope))) throw insufficientScope(fitting);
}

/** The scopes that would do: the family's own first, then the general ones of the method. */
function fittingScopes({ scopes }: Pick<Endpoint, 'scopes'>, method: string): readonly string[] {
  const read = method === 'GET' || method === 'HEAD';
  return [...scopes, 'api', ...(read ? ['read_api'] : [])];
}
