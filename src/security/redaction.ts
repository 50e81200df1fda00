/** What stands where a secret stood. */
export const redacted = '[REDACTED]';

// The one list of names whose values never reach a log or an error text. Names are compared in lower case with `_`
// for `-` and camel case, each part of a bracketed name by itself.
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
// token, private_token, access_token, job_token, refresh_token, csrf_token, password, password_confirmation,
// client_secret, secret_key, passphrase...
const secretParts = /(^|_)token$|password|passwd|passphrase|secret|private_?token/;
// Only in URLs: `code` is an OAuth grant there, elsewhere the code of an error. `variables` are those of a pipeline, `value` is that of one.
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['code', 'value', 'variables']);

const DEEPEST = 8;

/** Is the value of this field, header or setting a secret? */
export function isSecretName(name: string): boolean {
  const known = namesSeen.get(name);
  if (known !== undefined) return known;
  const secret = nameParts(name).some((part) => SECRET_NAMES.has(part) || secretParts.test(part));
  // Names of fields are few; those of a hostile client are not remembered without end.
  if (namesSeen.size < 1000) namesSeen.set(name, secret);
  return secret;
}

const namesSeen = new Map<string, boolean>();

/**
 * A request target or URL with the credentials before its host and the values of its secret parameters replaced; all
 * else stays as it was written. Takes any text: what is logged is often malformed.
 */
export function redactUrl(rawUrl: string): string {
  if (!MARKED.test(rawUrl)) return redactText(rawUrl);
  const [, address = '', query, fragment] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rawUrl) ?? [];
  return redactText(withoutLink(address)) + redactPairs(query) + redactPairs(fragment);
}

/** What anything that is looked for below has: most URLs are a plain path. */
const MARKED = /[?#_%]/;

/** Whoever has the way to leave a mail acts for its recipient. */
function withoutLink(address: string): string {
  if (!/[_%]/.test(address)) return address;
  const parts = address.split('/');
  return parts.map((part, at) => (at > 0 && leadsToLink(parts[at - 1]!) && part !== '' ? redacted : part)).join('/');
}

/** However its characters are written. */
function leadsToLink(part: string): boolean {
  return part.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))) === LEADS_TO_LINK;
}

const LEADS_TO_LINK = 'sent_notifications';

/** Free text, such as the message of an error, without what looks like credentials. */
export function redactText(text: string): string {
  return suspicious.test(text) ? withoutCredentials(text) : text;
}

/** What every replacement below needs at least: most texts hold none of it. */
const suspicious = /[@=]|bearer|basic|gl-geo|gl[a-z]{2,5}-|GR1348941/i;

function withoutCredentials(text: string): string {
  return text
    .replace(/:\/\/[^\s/?#]*@/g, `://${redacted}@`)
    .replace(/\b(Bearer|Basic|GL-Geo) +[\w.~+/:=-]{8,}/gi, `$1 ${redacted}`)
    .replace(/\b(?:gl(?:pat|rt|rtr|cbt|dt|ft|oas|ptt|imt|agent|soat)-|GR1348941)[\w.-]+/g, redacted)
    .replace(/(token|password|secret|key)=[^\s&"'<>]+/gi, `$1=${redacted}`);
}

/**
 * A copy for logs: values under secret names are replaced (null and booleans are none), all other text goes through
 * `redactText`, errors become name, message, code and stack.
 */
export function redactFields(fields: object): Record<string, unknown> {
  return copyFields(fields, 0);
}

function copyFields(fields: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const keeps = value === null || value === undefined || typeof value === 'boolean';
    copy[name] = !keeps && isSecretName(name) ? redacted : copyValue(value, depth + 1);
  }
  return copy;
}

function copyValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.includes('?') ? redactUrl(value) : redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '[too deep]';
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

/** `?a=1&private_token=x`, `#access_token=x`: the mark that begins them is kept. */
function redactPairs(text: string | undefined): string {
  if (!text) return '';
  const pairs = text.slice(1).split('&').map(redactPair);
  return text.charAt(0) + pairs.join('&');
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals < 0) return redactText(pair);
  const parts = nameParts(decoded(pair.slice(0, equals)));
  const secret = parts.some((part) => SECRET_NAMES.has(part) || secretParts.test(part) || SECRET_PARAMETERS.has(part));
  return secret ? `${pair.slice(0, equals)}=${redacted}` : redactText(pair);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

function nameParts(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_')
    .split(/[[\]]+/);
}
