/** The text that replaces a secret. */
export const REDACTED = '[REDACTED]';

// Names whose values never appear in a log or an error text. Names are compared in lower-case snake case; each part of a
// bracketed name is compared separately.
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'access_key',
  'api_key',
  'authorization',
  'code_challenge',
  'code_verifier',
  'cookie',
  'credentials',
  'database_url',
  'otp_attempt',
  'private_key',
  'proxy_authorization',
  'sentry_key',
  'set_cookie',
  'smtp_url',
  'x_sentry_auth',
]);
// Matches for example private_token, access_token, job_token, password_confirmation, client_secret and passphrase.
const SECRET_NAME_PATTERN = /(^|_)token$|password|passwd|passphrase|secret|private_?token/;
// Names that are secret only in URLs: `code` is an OAuth code there, elsewhere an error code. `variables` and `value` are those
// of pipelines.
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['code', 'value', 'variables']);

/** Levels of nested fields that are copied. */
const MAX_DEPTH = 8;

/** Returns whether the value of this field, header or setting is a secret. */
export const isSecretName = cacheByName((name) => splitName(name).some(isSecretPart));

/** Returns whether the value of this parameter of a URL, whose name may be percent-encoded, is a secret. */
const isSecretParameter = cacheByName((name) =>
  splitName(decodeName(name)).some((part) => isSecretPart(part) || SECRET_PARAMETERS.has(part)),
);

function isSecretPart(part: string): boolean {
  return SECRET_NAMES.has(part) || SECRET_NAME_PATTERN.test(part);
}

/** Returns the check with a cache. It is bounded, because a hostile client can send any number of names, of any length. */
function cacheByName(check: (name: string) => boolean): (name: string) => boolean {
  const cache = new Map<string, boolean>();
  return (name) => {
    const cachedResult = cache.get(name);
    if (cachedResult !== undefined) return cachedResult;
    const result = check(name);
    if (cache.size < 1000 && name.length <= 100) cache.set(name, result);
    return result;
  };
}

/**
 * Redacts the credentials before the host and the values of secret parameters of a URL or request target. All other text stays
 * unchanged. Accepts any text, because logged URLs are often malformed.
 */
export function redactUrl(rawUrl: string): string {
  if (!MAY_CONTAIN_SECRETS.test(rawUrl)) return redactText(rawUrl);
  const [, address = '', query, fragment] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rawUrl) ?? [];
  return redactText(redactUnsubscribeTokens(address)) + redactPairs(query) + redactPairs(fragment);
}

/** Matches URLs that may contain a secret; most URLs are plain paths without one. */
const MAY_CONTAIN_SECRETS = /[?#_%]/;

/** Redacts the tokens of unsubscribe links, which allow their holder to act for the recipient. */
function redactUnsubscribeTokens(address: string): string {
  if (!/_|%5f/i.test(address)) return address;
  // Routes ignore repeated slashes.
  const parts = address.split(/(\/+)/);
  // Every second part is a separator, so the previous segment is two parts before.
  return parts
    .map((part, index) => (index > 1 && isUnsubscribeSegment(parts[index - 2]!) && part !== '' ? REDACTED : part))
    .join('');
}

/** Returns whether the path segment, possibly percent-encoded, precedes an unsubscribe token. */
function isUnsubscribeSegment(part: string): boolean {
  return (
    part.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))) === UNSUBSCRIBE_SEGMENT
  );
}

const UNSUBSCRIBE_SEGMENT = 'sent_notifications';

/** Redacts everything that looks like credentials in free text, such as an error message. */
export function redactText(text: string): string {
  return MAY_CONTAIN_CREDENTIALS.test(text) ? replaceCredentials(text) : text;
}

/** Matches texts that may contain credentials; most have none. `GR1348941` is the prefix of registration tokens. */
const MAY_CONTAIN_CREDENTIALS = /[@=]|bearer|basic|gl-geo|gl[a-z]{2,5}-|GR1348941/i;

function replaceCredentials(text: string): string {
  return text
    .replace(/:\/\/[^\s/?#]*@/g, `://${REDACTED}@`)
    .replace(/\b(Bearer|Basic|GL-Geo) +[\w.~+/:=-]{8,}/gi, `$1 ${REDACTED}`)
    .replace(/\b(?:gl(?:pat|rt|rtr|cbt|dt|ft|oas|ptt|imt|agent|soat)-|GR1348941)[\w.-]+/g, REDACTED)
    .replace(/(token|password|secret|key)=[^\s&"'<>]+/gi, `$1=${REDACTED}`);
}

/**
 * Copies fields for a log: values of secret names are replaced (except null and booleans), all other text is redacted with
 * `redactText`, and errors become name, message, code and stack.
 */
export function redactFields(fields: object): Record<string, unknown> {
  return copyFields(fields, 0);
}

function copyFields(fields: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const isHarmless = value === null || value === undefined || typeof value === 'boolean';
    copy[name] = !isHarmless && isSecretName(name) ? REDACTED : copyValue(value, depth + 1);
  }
  return copy;
}

function copyValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.includes('?') ? redactUrl(value) : redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return copyError(value, depth);
  if (value instanceof URL) return redactUrl(value.href);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => copyValue(item, depth + 1));
  return copyFields(value, depth);
}

function copyError(error: Error & { code?: unknown }, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: redactText(error.message),
    ...(error.code === undefined ? {} : { code: String(error.code) }),
    stack: redactText(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: copyValue(error.cause, depth + 1) }),
  };
}

/** Redacts the pairs of `?a=1&private_token=x` or `#access_token=x`; the first character stays. */
function redactPairs(text: string | undefined): string {
  if (!text) return '';
  const pairs = text.slice(1).split('&').map(redactPair);
  return text.charAt(0) + pairs.join('&');
}

function redactPair(pair: string): string {
  const equalsIndex = pair.indexOf('=');
  if (equalsIndex < 0) return redactText(pair);
  const name = pair.slice(0, equalsIndex);
  return isSecretParameter(name) ? `${name}=${REDACTED}` : redactText(pair);
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** Splits a name at brackets into parts in lower-case snake case: `user[apiKey]` has the parts `user` and `api_key`. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_')
    .split(/[[\]]+/);
}
