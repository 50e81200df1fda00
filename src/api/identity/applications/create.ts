import { createApplication, type IssuedApplication } from '#authentication/oauth/applications.ts';
import { SCOPES } from '#authentication/tokens/access-tokens.ts';
import { IDENTITY_SCOPES } from '#authentication/tokens/scope-descriptions.ts';
import { validateDisplayName } from '#authentication/users/name-validation.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';
import { validateRedirectUri } from './redirect-uri.ts';

interface CreateApplicationInput {
  readonly name: string;
  /** Redirect URIs, one per line. */
  readonly redirect_uri: string;
  /** Scopes, separated by white space. */
  readonly scopes: string;
  readonly confidential: boolean;
}

/** Maximum length of all redirect URIs together, in characters. */
const MAX_REDIRECT_URI_LENGTH = 8_000;

/** Creates an OAuth application (contract/conventions.md §10 "OAuth 2.0"). */
export async function registerApplication(
  uow: UnitOfWork,
  { name, redirect_uri, scopes, confidential }: CreateApplicationInput,
): Promise<IssuedApplication | Failure<'invalid'>> {
  const errors = compactFieldErrors({
    name: validateDisplayName(name),
    redirect_uri: validateRedirectUris(redirect_uri),
    scopes: splitWords(scopes).every(isScope) ? [] : ["doesn't match configured on the server."],
  });
  if (errors !== null) return invalid(errors);
  return createApplication(uow, {
    name,
    redirectUris: splitWords(redirect_uri),
    scopes: splitWords(scopes),
    confidential,
  });
}

function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function validateRedirectUris(text: string): string[] {
  const uris = splitWords(text);
  if (uris.length === 0) return ["can't be blank"];
  if (text.length > MAX_REDIRECT_URI_LENGTH) {
    return [`is too long (maximum is ${MAX_REDIRECT_URI_LENGTH} characters)`];
  }
  const problems = uris.map(validateRedirectUri).filter((problem) => problem !== null);
  return [...new Set(problems)];
}

function isScope(text: string): boolean {
  return (SCOPES as readonly string[]).includes(text) || IDENTITY_SCOPES.has(text);
}
