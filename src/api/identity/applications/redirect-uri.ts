/** Schemes whose addresses are content or script, not a place to go to. */
const FORBIDDEN = ['javascript:', 'data:', 'vbscript:'];

/**
 * What is wrong with an address that codes are to be sent to; null: nothing. It is a whole address without a fragment:
 * `https://app.test/cb`, or for an installed program `com.example.app:/cb` (RFC 8252). Only ASCII, for it becomes a header.
 */
export function redirectUriProblem(uri: string): string | null {
  const url = /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (FORBIDDEN.some((scheme) => uri.toLowerCase().startsWith(scheme))) return 'is forbidden by the server.';
  if (url === null || !/^[a-z][a-z\d.+-]*:\//i.test(uri)) return 'must be a valid URI.';
  if (isWeb(url) && !/^https?:\/\/[^/?]/i.test(uri)) return 'must be a valid URI.';
  // The page that asks names the host in its policy, where these would end it.
  if (/[;,']/.test(url.host)) return 'must be a valid URI.';
  return uri.includes('#') ? 'cannot contain a fragment.' : null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}
