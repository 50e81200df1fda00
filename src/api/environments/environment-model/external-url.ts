/** Where an environment is reached (contract/environments.md "external_url"). Pure. */

const LONGEST = 255;
const SCRIPT = /^(javascript|data|vbscript):/i;
const AUTHORITY = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?\/\/([^/?#]*)/;
const BAD_IN_HOST = /[<>{}/\\?#@"\s]/;

/**
 * What is wrong with an address, as a record says it of its field. Variables are fine, and most of what is no whole address;
 * what runs in a browser is not, nor is what no host can be called.
 */
export function externalUrlErrors(url: string): string[] {
  const errors: string[] = [];
  if ([...url].length > LONGEST) errors.push(`is too long (maximum is ${LONGEST} characters)`);
  const script = SCRIPT.exec(asBrowsersRead(url));
  if (script !== null) errors.push(`${script[1]!.toLowerCase()} scheme is not allowed`);
  else if (!isAddress(url)) errors.push('URI is invalid');
  return errors;
}

/** Browsers pass over white space and control characters before an address, and over line ends and tabs inside. */
function asBrowsersRead(url: string): string {
  let start = 0;
  while (start < url.length && url.charCodeAt(start) <= 0x20) start++;
  return url.slice(start).replace(/[\t\r\n]/g, '');
}

function isAddress(url: string): boolean {
  const parts = AUTHORITY.exec(url);
  if (parts === null) return !/^https?:\/?$/i.test(url);
  const [before, scheme = '', authority = ''] = parts;
  const { host, port } = hostOf(authority);
  if (BAD_IN_HOST.test(host) || !/^\d*$/.test(port)) return false;
  return host !== '' || url.length > before.length || !/^https?$/i.test(scheme);
}

/** Behind the last `@` stands the host, behind its last colon the port; brackets keep colons in. */
function hostOf(authority: string): { host: string; port: string } {
  const place = authority.slice(authority.lastIndexOf('@') + 1);
  const colon = place.lastIndexOf(':');
  if (colon < 0 || place.endsWith(']')) return { host: place, port: '' };
  return { host: place.slice(0, colon), port: place.slice(colon + 1) };
}
