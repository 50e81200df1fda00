import type { Database } from '../../../database/database.ts';
import { SCOPES } from '../../../identity/access-tokens.ts';
import { createApplication, type IssuedApplication } from '../../../identity/oauth-applications.ts';
import { type Refused, refused } from '../../../refused.ts';
import { redirectUriProblem } from './redirect-uri.ts';

export interface ApplicationOrder {
  readonly name: string;
  /** One a line. */
  readonly redirect_uri: string;
  /** White space between them. */
  readonly scopes: string;
  readonly confidential: boolean;
}

const LONGEST_NAME = 255;
/** All addresses together: more is no registration. */
const LONGEST_REDIRECT_URI = 8_000;

/** Registers an application that users may let act for them (contract/conventions.md §10 "OAuth 2.0"). */
export async function registerApplication(
  database: Database,
  { name, redirect_uri, scopes, confidential }: ApplicationOrder,
): Promise<IssuedApplication | Refused<'invalid'>> {
  const redirectUris = words(redirect_uri);
  const errors = problemsOf(name, redirect_uri, words(scopes));
  if (Object.keys(errors).length > 0) return refused('invalid', { errors });
  return database.transaction((tx) =>
    createApplication(tx, { name, redirectUris, scopes: words(scopes), confidential }),
  );
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function problemsOf(name: string, redirectUri: string, scopes: readonly string[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  if (name.trim() === '') errors.name = ["can't be blank"];
  if ([...name].length > LONGEST_NAME) errors.name = [`is too long (maximum is ${LONGEST_NAME} characters)`];
  const wrong = redirectUriProblems(redirectUri);
  if (wrong.length > 0) errors.redirect_uri = wrong;
  if (!scopes.every(isScope)) errors.scopes = ["doesn't match configured on the server."];
  return errors;
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
