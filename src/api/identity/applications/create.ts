import { createApplication, type IssuedApplication } from '#authentication/oauth/applications.ts';
import { SCOPES } from '#authentication/tokens/access-tokens.ts';
import { nameProblems } from '#authentication/users/name-validation.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fieldErrors, invalid } from '#runtime/failure.ts';
import { redirectUriProblem } from './redirect-uri.ts';

interface ApplicationOrder {
  readonly name: string;
  /** One a line. */
  readonly redirect_uri: string;
  /** White space between them. */
  readonly scopes: string;
  readonly confidential: boolean;
}

/** All addresses together: more is no registration. */
const LONGEST_REDIRECT_URI = 8_000;

/** Registers an application that users may let act for them (contract/conventions.md §10 "OAuth 2.0"). */
export async function registerApplication(
  uow: UnitOfWork,
  { name, redirect_uri, scopes, confidential }: ApplicationOrder,
): Promise<IssuedApplication | Failure<'invalid'>> {
  const errors = fieldErrors({
    name: nameProblems(name),
    redirect_uri: redirectUriProblems(redirect_uri),
    scopes: words(scopes).every(isScope) ? [] : ["doesn't match configured on the server."],
  });
  if (errors !== null) return invalid(errors);
  return createApplication(uow, { name, redirectUris: words(redirect_uri), scopes: words(scopes), confidential });
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function redirectUriProblems(given: string): string[] {
  const uris = words(given);
  if (uris.length === 0) return ["can't be blank"];
  if (given.length > LONGEST_REDIRECT_URI) {
    return [`is too long (maximum is ${LONGEST_REDIRECT_URI} characters)`];
  }
  const problems = uris.map(redirectUriProblem).filter((problem) => problem !== null);
  return [...new Set(problems)];
}

function isScope(text: string): boolean {
  return (SCOPES as readonly string[]).includes(text);
}
