import { createApplication, type IssuedApplication } from '#authentication/oauth/applications.ts';
import { IDENTITY_SCOPES, SCOPES } from '#authentication/tokens/access-tokens.ts';
import { validateDisplayName } from '#authentication/users/usernames.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';

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

/** Returns the words of a text that are separated by white space. */
function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Returns the errors of the redirect URIs, each only once. */
function validateRedirectUris(text: string): string[] {
  const uris = splitWords(text);
  if (uris.length === 0) return ["can't be blank"];
  if (text.length > MAX_REDIRECT_URI_LENGTH) return [`is too long (maximum is ${MAX_REDIRECT_URI_LENGTH} characters)`];
  const problems = uris.map(validateRedirectUri).filter((problem) => problem !== null);
  return [...new Set(problems)];
}

function isScope(text: string): boolean {
  return (SCOPES as readonly string[]).includes(text) || IDENTITY_SCOPES.has(text);
}

/** Schemes whose URIs do not name a client: they contain content or scripts, or open local files or apps of the device. */
const FORBIDDEN_SCHEMES = [
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'intent:',
  'content:',
  'blob:',
  'filesystem:',
  'view-source:',
  'about:',
];

/**
 * Returns the error of a redirect URI, or null if it is valid. It must be absolute, without user info or fragment:
 * `https://app.test/cb`, or `com.example.app:/cb` for a native app (RFC 8252). Only ASCII, because it becomes a header.
 */
export function validateRedirectUri(uri: string): string | null {
  const isVisibleAscii = /^[\x21-\x7e]+$/.test(uri);
  const url = isVisibleAscii ? URL.parse(uri) : null;
  if (FORBIDDEN_SCHEMES.some((scheme) => uri.toLowerCase().startsWith(scheme))) return 'is forbidden by the server.';
  const isAbsolute = /^[a-z][a-z\d.+-]*:\//i.test(uri);
  if (url === null || !isAbsolute) return 'must be a valid URI.';
  // The parser would add slashes that are missing before the host.
  if (isWebUrl(url) && !/^https?:\/\/[^/?]/i.test(uri)) return 'must be a valid URI.';
  const hasUserInfo = /^[^/]+:\/\/[^/?#]*@/.test(uri);
  if (hasUserInfo) return 'must be a valid URI.';
  // The consent page lists the host in its Content-Security-Policy, where these characters end a directive.
  if (/[;,']/.test(url.host)) return 'must be a valid URI.';
  return uri.includes('#') ? 'cannot contain a fragment.' : null;
}

function isWebUrl({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}
