import { type Failure, fail } from '#runtime/failure.ts';

interface ScopeRule {
  readonly allowed: readonly string[];
  /** When none are asked for. */
  readonly usual: readonly string[];
}

/** The scopes that a client asks for, white space between them: each must be one that it may have. */
export function askedScopes(
  asked: string | null | undefined,
  { allowed, usual }: ScopeRule,
): readonly string[] | Failure<'invalidScope'> {
  const scopes = (asked ?? '').split(/\s+/).filter((scope) => scope !== '');
  if (scopes.length === 0) return usual;
  return scopes.every((scope) => allowed.includes(scope)) ? [...new Set(scopes)] : fail('invalidScope');
}
