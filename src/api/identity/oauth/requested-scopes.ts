import { type Failure, fail } from '#runtime/failure.ts';

interface ScopeOptions {
  readonly allowed: readonly string[];
  /** Scopes that are granted if the client requests none. */
  readonly defaults: readonly string[];
}

/** Parses the requested scopes, separated by white space. Fails if one of them is not allowed. */
export function parseRequestedScopes(
  requestedScope: string | null | undefined,
  { allowed, defaults }: ScopeOptions,
): readonly string[] | Failure<'invalidScope'> {
  const scopes = (requestedScope ?? '').split(/\s+/).filter((scope) => scope !== '');
  if (scopes.length === 0) return defaults;
  return scopes.every((scope) => allowed.includes(scope)) ? [...new Set(scopes)] : fail('invalidScope');
}
