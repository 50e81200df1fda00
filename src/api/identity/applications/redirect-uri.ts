/** Schemes whose URIs are content, script, local files or a command to the device, not the location of a client. */
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
 * Returns what is wrong with a redirect URI, or null if it is valid. It must be absolute, without user info or fragment:
 * `https://app.test/cb`, or `com.example.app:/cb` for a native app (RFC 8252). Only ASCII, because it becomes a header.
 */
export function validateRedirectUri(uri: string): string | null {
  const url = /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (FORBIDDEN_SCHEMES.some((scheme) => uri.toLowerCase().startsWith(scheme))) return 'is forbidden by the server.';
  if (url === null || !/^[a-z][a-z\d.+-]*:\//i.test(uri)) return 'must be a valid URI.';
  if (isWebUrl(url) && !/^https?:\/\/[^/?]/i.test(uri)) return 'must be a valid URI.';
  if (/^[^/]+:\/\/[^/?#]*@/.test(uri)) return 'must be a valid URI.';
  // The consent page lists the host in its Content-Security-Policy, where these characters end a directive.
  if (/[;,']/.test(url.host)) return 'must be a valid URI.';
  return uri.includes('#') ? 'cannot contain a fragment.' : null;
}

function isWebUrl({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}
