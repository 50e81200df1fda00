import { foldCase } from '#database/name-keys.ts';

// Names of environments (contract/environments.md Part 1). Pure.

const ALLOWED_CHARACTERS = /^[A-Za-z0-9\-_/${}. ]+$/;
const MAX_NAME_LENGTH = 255;

/** Returns validation errors of a name. */
export function validateEnvironmentName(name: string): string[] {
  const errors: string[] = [];
  if (name.trim() === '') errors.push("can't be blank");
  if ([...name].length > MAX_NAME_LENGTH) errors.push(`is too long (maximum is ${MAX_NAME_LENGTH} characters)`);
  if (!ALLOWED_CHARACTERS.test(name) || name.startsWith('/') || name.endsWith('/')) {
    errors.push(
      "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    );
  }
  return errors;
}

/** Returns the search columns of a name: `review/a/b` has the folder `review` and the rest key `a/b`. */
export function toNameLookupColumns(name: string): {
  name_key: string;
  folder: string | null;
  rest_key: string | null;
} {
  const slash = name.indexOf('/');
  return {
    name_key: foldCase(name),
    folder: slash < 0 ? null : name.slice(0, slash),
    rest_key: slash < 0 ? null : foldCase(name.slice(slash + 1)),
  };
}

// Validation of external URLs (contract/environments.md "external_url"). Pure.

const MAX_URL_LENGTH = 255;
const SCRIPT_SCHEME = /^(javascript|data|vbscript):/i;
const AUTHORITY = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?\/\/([^/?#]*)/;
const INVALID_IN_HOST = /[<>{}/\\?#@"\s]/;

/**
 * Returns validation errors of an external URL. Variables and most partial URLs are accepted; script schemes and invalid hosts
 * are not.
 */
export function validateExternalUrl(url: string): string[] {
  const errors: string[] = [];
  if ([...url].length > MAX_URL_LENGTH) errors.push(`is too long (maximum is ${MAX_URL_LENGTH} characters)`);
  const scriptScheme = SCRIPT_SCHEME.exec(normalizeLikeBrowsers(url))?.[1];
  if (scriptScheme !== undefined) errors.push(`${scriptScheme.toLowerCase()} scheme is not allowed`);
  else if (!isValidUrl(url)) errors.push('URI is invalid');
  return errors;
}

/** Removes characters that browsers ignore: leading whitespace and control characters, line breaks and tabs. */
function normalizeLikeBrowsers(url: string): string {
  let start = 0;
  while (start < url.length && url.charCodeAt(start) <= 0x20) start++;
  return url.slice(start).replace(/[\t\r\n]/g, '');
}

function isValidUrl(url: string): boolean {
  const parts = AUTHORITY.exec(url);
  // Without an authority only a bare `http:` or `http:/` is invalid; any other text may be a partial URL.
  if (parts === null) return !/^https?:\/?$/i.test(url);
  const [prefix, scheme = '', authority = ''] = parts;
  const { host, port } = splitAuthority(authority);
  if (INVALID_IN_HOST.test(host) || !/^\d*$/.test(port)) return false;
  // An empty host is invalid only in an HTTP URL that ends there.
  return host !== '' || url.length > prefix.length || !/^https?$/i.test(scheme);
}

/** Splits an authority: the host follows the last `@`, the port the last colon outside of brackets. */
function splitAuthority(authority: string): { host: string; port: string } {
  const hostAndPort = authority.slice(authority.lastIndexOf('@') + 1);
  const colonIndex = hostAndPort.lastIndexOf(':');
  if (colonIndex < 0 || hostAndPort.endsWith(']')) return { host: hostAndPort, port: '' };
  return { host: hostAndPort.slice(0, colonIndex), port: hostAndPort.slice(colonIndex + 1) };
}
