import { resolve, sep } from 'node:path';
import ipaddr from 'ipaddr.js';
import { isJsonObject } from './text/json-object.ts';
import { trimEndCharacters } from './text/trim.ts';

/**
 * The start-up settings: environment variables that are read once. `START_UP_SETTINGS` lists all names. An invalid value
 * throws a ConfigError whose message names the variable and never shows a secret.
 */
export interface Config {
  /** Address to listen on. */
  readonly host: string;
  /** Port to listen on; 0 lets the system choose one. */
  readonly port: number;
  /** Base of all absolute URLs in responses, see `getBaseUrl`; null: scheme and Host of the request. */
  readonly externalUrl: URL | null;
  /** Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted. */
  readonly trustedProxies: readonly Cidr[];
  /** Absolute path. */
  readonly dataDir: string;
  /** null: SQLite in the data directory. */
  readonly databaseUrl: string | null;
  /** Storage name -> absolute directory; always contains `default`. It has no prototype, so that any name may be looked up. */
  readonly storages: Readonly<Record<string, RepositoryStorage>>;
  /** Absolute directory of blobs: LFS objects and other files that rows refer to. */
  readonly blobsDir: string;
  /** 32 bytes; null: the key file in the data directory. */
  readonly secretKey: Buffer | null;
  /** null: generated at the first start. */
  readonly rootToken: string | null;
  /** null: generated at the first start. */
  readonly rootPassword: string | null;
  readonly tier: Tier;
  readonly impersonationEnabled: boolean;
  /** null: random. */
  readonly registrationToken: string | null;
  /** Initial value of the application setting `allow_local_requests_from_web_hooks_and_services`. */
  readonly allowLocalRequests: boolean;
  readonly role: 'primary' | 'secondary';
  readonly primaryUrl: URL | null;
  readonly primaryToken: string | null;
  /** null: the external URL is the site's name. */
  readonly siteName: string | null;
  readonly siteSyncIntervalSeconds: number;
  readonly siteStatusIntervalSeconds: number;
  /** Seconds for which running work may go on when the server stops. */
  readonly shutdownTimeoutSeconds: number;
  /** Bearer token that requests for metrics must have; null: none is needed. */
  readonly metricsToken: string | null;
  readonly logLevel: LogLevel;
  readonly mail: MailConfig;
}

interface RepositoryStorage {
  readonly path: string;
}

interface MailConfig {
  /** off: no mail; outbox: stored, never sent; smtp: sent. */
  readonly delivery: 'off' | 'outbox' | 'smtp';
  readonly smtpUrl: string | null;
  readonly from: string | null;
  readonly displayName: string | null;
  readonly replyTo: string | null;
}

const tiers = ['free', 'premium', 'ultimate'] as const;
export type Tier = (typeof tiers)[number];

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

/** An address range: network address and prefix length. */
export type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** An invalid setting, which prevents the start. Only the message is shown, without a stack. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** A start-up setting, for parsing, `hearth serve --help` and the documentation. */
interface SettingDescription {
  /** Default value. Absent: `whenUnset` describes the behaviour without a value. */
  readonly default?: string;
  readonly whenUnset?: string;
  /** Meaning in one sentence, in Markdown. */
  readonly description: string;
}

/**
 * All start-up settings, by environment variable. Functions that read a variable accept only these names and take the default
 * from here, so that the list is complete.
 */
export const START_UP_SETTINGS = {
  HEARTH_HOST: { default: '127.0.0.1', description: 'address to listen on' },
  HEARTH_PORT: { default: '8080', description: 'port to listen on; 0: any free port' },
  HEARTH_EXTERNAL_URL: {
    whenUnset: 'scheme and Host of the request',
    description: 'base of all absolute URLs in responses and mails; may have a path prefix. Required for `smtp`',
  },
  HEARTH_TRUSTED_PROXIES: {
    whenUnset: 'none',
    description: 'comma-separated addresses or CIDRs whose `X-Forwarded-For` and `-Proto` headers are trusted',
  },
  HEARTH_DATA_DIR: { default: './data', description: 'directory of all files that no other setting places elsewhere' },
  HEARTH_DATABASE_URL: { whenUnset: 'SQLite in the data directory', description: 'PostgreSQL: `postgres://...`' },
  HEARTH_STORAGES: {
    whenUnset: '`{"default":{"path":"<data dir>/repositories"}}`',
    description: 'JSON object: storage name to directory of its repositories; must have `default`',
  },
  HEARTH_BLOBS: {
    default: 'blobs',
    description: 'directory of LFS objects, artifacts and other files; absolute, or relative to the data directory',
  },
  HEARTH_SECRET_KEY: {
    whenUnset: 'a key file (mode 0600) in the data directory',
    description: 'key that encrypts secrets, 64 hexadecimal digits; the same for all processes on one database',
  },
  HEARTH_ROOT_TOKEN: {
    whenUnset: 'generated',
    description: 'token of `root`, used at the first start only; a later start warns if it is not one of root',
  },
  HEARTH_ROOT_PASSWORD: {
    whenUnset: 'generated',
    description: 'password of `root`, used at the first start only; a later start warns if it is another one',
  },
  HEARTH_REGISTRATION_TOKEN: { whenUnset: 'generated', description: 'registration token for runners of the instance' },
  HEARTH_TIER: { default: 'ultimate', description: 'feature set: free, premium or ultimate' },
  HEARTH_IMPERSONATION_ENABLED: { default: 'true', description: 'false: impersonation tokens are rejected' },
  HEARTH_ALLOW_LOCAL_REQUESTS: {
    default: 'false',
    description: 'initial value of the application setting that allows outbound requests to local addresses',
  },
  HEARTH_ROLE: {
    default: 'primary',
    description:
      '`secondary`: a site that serves fetches from its verified copies and proxies all other requests to the primary',
  },
  HEARTH_PRIMARY_URL: { whenUnset: 'none', description: 'URL of the primary. Required for a secondary' },
  HEARTH_PRIMARY_TOKEN: {
    whenUnset: 'none',
    description:
      "credential for the registration of a secondary: an administrator's token, or `<access_key>:<secret>` of the site; needed until the data directory has `site-identity`",
  },
  HEARTH_SITE_NAME: { whenUnset: 'the external URL', description: 'name of this site' },
  HEARTH_SITE_SYNC_INTERVAL: { default: '10', description: "seconds between a secondary's reads of the event feed" },
  HEARTH_SITE_STATUS_INTERVAL: { default: '60', description: 'seconds between the status reports of a secondary' },
  HEARTH_MAIL_DELIVERY: {
    default: 'off',
    description:
      '`outbox`: store mails for administrators (`GET /api/v4/admin/mail_messages`) without sending them; `smtp`: send them. Mails are deleted after 30 days',
  },
  HEARTH_SMTP_URL: {
    whenUnset: 'none',
    description:
      '`smtp://user:password@host:port` or `smtps://...`; uses STARTTLS if the server offers it. Required for `smtp`',
  },
  HEARTH_MAIL_FROM: { whenUnset: 'none', description: 'sender address of mails. Required for `smtp`' },
  HEARTH_MAIL_DISPLAY_NAME: { whenUnset: 'none', description: 'sender name of mails' },
  HEARTH_MAIL_REPLY_TO: { whenUnset: 'none', description: 'reply address of mails' },
  HEARTH_SHUTDOWN_TIMEOUT: {
    default: '8',
    description: 'seconds for which running requests and jobs may go on after SIGTERM; Docker kills after 10',
  },
  HEARTH_METRICS_TOKEN: {
    whenUnset: 'none; everybody may read the metrics',
    description: 'bearer token that requests for `/-/metrics` must have',
  },
  HEARTH_LOG_LEVEL: { default: 'info', description: 'trace, debug, info, warn, error, fatal or silent' },
} as const satisfies Readonly<Record<string, SettingDescription>>;

type EnvVariableName = keyof typeof START_UP_SETTINGS;

/** The names of all environment variables that are settings. */
export const ENV_VARIABLE_NAMES = Object.keys(START_UP_SETTINGS) as readonly EnvVariableName[];

/** Names of the settings that have a default value. */
type NameWithDefault = {
  [Name in EnvVariableName]: (typeof START_UP_SETTINGS)[Name] extends { readonly default: string } ? Name : never;
}[EnvVariableName];

/** Loads and validates all settings. An empty variable counts as unset. Throws ConfigError. */
export function loadConfig(env: EnvironmentVariables): Config {
  const dataDir = resolve(getValue(env, 'HEARTH_DATA_DIR'));
  const storages = readStorages(env, 'HEARTH_STORAGES', dataDir);
  const role = readOneOf(env, 'HEARTH_ROLE', ['primary', 'secondary']);
  return Object.freeze({
    host: readHostName(env, 'HEARTH_HOST'),
    port: readPort(env, 'HEARTH_PORT'),
    externalUrl: readHttpUrl(env, 'HEARTH_EXTERNAL_URL'),
    trustedProxies: readCidrs(env, 'HEARTH_TRUSTED_PROXIES'),
    dataDir,
    databaseUrl: readDatabaseUrl(env, 'HEARTH_DATABASE_URL'),
    storages,
    blobsDir: readBlobsDir(env, 'HEARTH_BLOBS', dataDir, storages),
    secretKey: readSecretKey(env, 'HEARTH_SECRET_KEY'),
    rootToken: readToken(env, 'HEARTH_ROOT_TOKEN'),
    rootPassword: readPassword(env, 'HEARTH_ROOT_PASSWORD'),
    tier: readOneOf(env, 'HEARTH_TIER', tiers),
    impersonationEnabled: readBoolean(env, 'HEARTH_IMPERSONATION_ENABLED'),
    registrationToken: readToken(env, 'HEARTH_REGISTRATION_TOKEN'),
    allowLocalRequests: readBoolean(env, 'HEARTH_ALLOW_LOCAL_REQUESTS'),
    role,
    primaryUrl: readPrimaryUrl(env, 'HEARTH_PRIMARY_URL', role),
    primaryToken: readToken(env, 'HEARTH_PRIMARY_TOKEN'),
    siteName: readLine(env, 'HEARTH_SITE_NAME'),
    siteSyncIntervalSeconds: readInteger(env, 'HEARTH_SITE_SYNC_INTERVAL', 1, 86_400),
    siteStatusIntervalSeconds: readInteger(env, 'HEARTH_SITE_STATUS_INTERVAL', 1, 86_400),
    shutdownTimeoutSeconds: readInteger(env, 'HEARTH_SHUTDOWN_TIMEOUT', 0, 3_600),
    metricsToken: readToken(env, 'HEARTH_METRICS_TOKEN'),
    logLevel: readOneOf(env, 'HEARTH_LOG_LEVEL', logLevels),
    mail: readMail(env),
  });
}

/** Returns the base for appending paths to a URL: origin and path prefix, without a trailing slash. */
export function getBaseUrl(url: URL): string {
  return url.origin + trimEndCharacters(url.pathname, '/');
}

/** Returns the base of absolute URLs outside of requests. `port` is the actual port (HEARTH_PORT may be 0). */
export function getServerUrl(config: Config, port: number = config.port): string {
  if (config.externalUrl) return getBaseUrl(config.externalUrl);
  return `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
}

/** Parses an address or CIDR; returns null if it is neither. IPv4-mapped IPv6 addresses become IPv4. */
export function parseCidr(text: string): Cidr | null {
  const [, base, bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (base === undefined || !isAddress(base)) return null;
  const parsedBase = ipaddr.parse(base);
  const address = ipaddr.process(base);
  const maxBits = address.kind() === 'ipv4' ? 32 : 128;
  // The prefix of an IPv4-mapped address counts 96 bits more than that of the IPv4 address.
  const length = bits === undefined ? maxBits : Number(bits) - (parsedBase.kind() === address.kind() ? 0 : 96);
  return length >= 0 && length <= maxBits ? [address, length] : null;
}

/** Returns whether the address is in one of the ranges; false for text that is not an address. */
export function isInCidrs(ranges: readonly Cidr[], address: string): boolean {
  if (ranges.length === 0 || !isAddress(address)) return false;
  const parsedAddress = ipaddr.process(address);
  return ranges.some(
    (range) => range[0].kind() === parsedAddress.kind() && parsedAddress.match(range as [typeof parsedAddress, number]),
  );
}

// ipaddr.js also reads `10` and `0x7f.1` as IPv4; here an IPv4 address has four decimal parts.
function isAddress(text: string): boolean {
  return text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
}

function getVariable(env: EnvironmentVariables, name: EnvVariableName): string | null {
  const value = env[name]?.trim();
  return value ? value : null;
}

/** Returns the value of a variable, or its default. */
function getValue(env: EnvironmentVariables, name: NameWithDefault): string {
  return getVariable(env, name) ?? START_UP_SETTINGS[name].default;
}

function createVariableError(name: EnvVariableName, rule: string): ConfigError {
  return new ConfigError(`${name} ${rule}`);
}

function readInteger(env: EnvironmentVariables, name: NameWithDefault, min: number, max: number): number {
  const text = getValue(env, name);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw createVariableError(name, `must be a whole number from ${min} to ${max}`);
  return value;
}

/** Kubernetes sets HEARTH_PORT to a URL in all pods if a service is called `hearth`. */
function readPort(env: EnvironmentVariables, name: NameWithDefault): number {
  const text = getValue(env, name);
  if (/^(tcp|udp|sctp):\/\/[\w.:[\]-]{1,255}$/.test(text)) {
    throw createVariableError(
      name,
      `is ${text}, which Kubernetes sets for a service called "hearth". Set enableServiceLinks: false in the pod, or rename the service.`,
    );
  }
  return readInteger(env, name, 0, 65_535);
}

function readBoolean(env: EnvironmentVariables, name: NameWithDefault): boolean {
  const text = getValue(env, name).toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw createVariableError(name, 'must be true or false');
}

function readOneOf<const T extends string>(env: EnvironmentVariables, name: NameWithDefault, values: readonly T[]): T {
  const text = getValue(env, name);
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw createVariableError(name, `must be one of ${values.join(', ')}`);
  return value;
}

/** Reads a single line of text, because it appears in headers and pages. */
function readLine(env: EnvironmentVariables, name: EnvVariableName): string | null {
  const text = getVariable(env, name);
  if (text !== null && (/[\x00-\x1f\x7f]/.test(text) || text.length > 255)) {
    throw createVariableError(name, 'must be one line of at most 255 characters');
  }
  return text;
}

function readHostName(env: EnvironmentVariables, name: NameWithDefault): string {
  const text = getValue(env, name).replace(/^\[(.*)\]$/, '$1');
  if (isAddress(text) || /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_.])?$/.test(text)) return text;
  throw createVariableError(name, 'must be an address or a host name');
}

function readHttpUrl(env: EnvironmentVariables, name: EnvVariableName): URL | null {
  const text = getVariable(env, name);
  if (text === null) return null;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw createVariableError(name, 'must be an absolute http or https URL');
  if (url.username || url.password) throw createVariableError(name, 'must not contain a user name or password');
  if (url.search || url.hash) throw createVariableError(name, 'must not contain a query or fragment');
  url.pathname = trimEndCharacters(url.pathname, '/');
  return url;
}

/** Reads the URL of the primary, which a secondary requires. */
function readPrimaryUrl(env: EnvironmentVariables, name: EnvVariableName, role: Config['role']): URL | null {
  const url = readHttpUrl(env, name);
  if (url === null && role === 'secondary')
    throw createVariableError(name, 'must be set when HEARTH_ROLE is secondary');
  return url;
}

function readCidrs(env: EnvironmentVariables, name: EnvVariableName): readonly Cidr[] {
  const items = (getVariable(env, name) ?? '').split(',').map((item) => item.trim());
  return items
    .filter((item) => item !== '')
    .map((item) => {
      const range = parseCidr(item);
      if (!range)
        throw createVariableError(name, `must be comma-separated addresses or CIDRs; this is neither: ${item}`);
      return range;
    });
}

function readDatabaseUrl(env: EnvironmentVariables, name: EnvVariableName): string | null {
  const text = getVariable(env, name);
  if (text === null) return null;
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw createVariableError(name, 'must be a postgres:// URL');
  return text;
}

function readSecretKey(env: EnvironmentVariables, name: EnvVariableName): Buffer | null {
  const text = getVariable(env, name);
  if (text === null) return null;
  if (!/^[0-9a-f]{64}$/i.test(text)) throw createVariableError(name, 'must be 32 bytes as 64 hexadecimal digits');
  return Buffer.from(text, 'hex');
}

/** Reads a token, which must be valid in a header: visible ASCII without spaces. */
function readToken(env: EnvironmentVariables, name: EnvVariableName): string | null {
  const text = getVariable(env, name);
  if (text !== null && !/^[\x21-\x7e]{1,255}$/.test(text)) {
    throw createVariableError(name, 'must be 1 to 255 visible ASCII characters without spaces');
  }
  return text;
}

// Not trimmed: leading and trailing spaces belong to the password.
function readPassword(env: EnvironmentVariables, name: EnvVariableName): string | null {
  const text = env[name];
  if (!text) return null;
  const length = [...text].length;
  if (length < 8 || length > 128) throw createVariableError(name, 'must be 8 to 128 characters long');
  return text;
}

function readStorages(
  env: EnvironmentVariables,
  name: EnvVariableName,
  dataDir: string,
): Readonly<Record<string, RepositoryStorage>> {
  const text = getVariable(env, name);
  const storagesByName: Record<string, RepositoryStorage> = Object.create(null);
  if (text === null) {
    storagesByName.default = { path: resolve(dataDir, 'repositories') };
    return Object.freeze(storagesByName);
  }
  for (const [storage, value] of Object.entries(parseJsonObject(text, name))) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(storage)) {
      throw createVariableError(
        name,
        'names its storages with letters, digits, "_", "." and "-", a letter or digit first',
      );
    }
    const path = typeof value === 'object' && value !== null && 'path' in value ? value.path : undefined;
    if (typeof path !== 'string' || path === '') throw createVariableError(name, `must give ${storage} a "path"`);
    storagesByName[storage] = { path: resolve(dataDir, path) };
  }
  if (!storagesByName.default) throw createVariableError(name, 'must contain the storage "default"');
  requireSeparatePaths(storagesByName, name);
  return Object.freeze(storagesByName);
}

function parseJsonObject(text: string, name: EnvVariableName): object {
  const shape = 'must be a JSON object such as {"default":{"path":"/srv/repositories"}}';
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The message of JSON.parse quotes the value, which may be secret: throw our own error below.
  }
  throw createVariableError(name, shape);
}

/** Reads the directory of blobs; all processes of one database need the same one, and the same storages. */
function readBlobsDir(
  env: EnvironmentVariables,
  name: NameWithDefault,
  dataDir: string,
  storages: Config['storages'],
): string {
  const path = resolve(dataDir, getValue(env, name));
  const enclosingStorage = Object.entries(storages).find(([, storage]) => (path + sep).startsWith(storage.path + sep));
  if (enclosingStorage) throw createVariableError(name, `must lie outside of the storage ${enclosingStorage[0]}`);
  return path;
}

/** Moving a repository copies its directory and deletes the old one, so the storages must not overlap. */
function requireSeparatePaths(storagesByName: Record<string, RepositoryStorage>, name: EnvVariableName): void {
  const entries = Object.entries(storagesByName);
  for (const [one, { path }] of entries) {
    const enclosingStorage = entries.find(
      ([other, storage]) => other !== one && (storage.path + sep).startsWith(path + sep),
    );
    if (enclosingStorage)
      throw createVariableError(
        name,
        `must give each storage its own directory; ${enclosingStorage[0]} lies in that of ${one}`,
      );
  }
}

function readMail(env: EnvironmentVariables): MailConfig {
  const delivery = readOneOf(env, 'HEARTH_MAIL_DELIVERY', ['off', 'outbox', 'smtp']);
  const smtpUrl = getVariable(env, 'HEARTH_SMTP_URL');
  if (smtpUrl !== null && (!/^smtps?:\/\/[^/]/.test(smtpUrl) || !URL.canParse(smtpUrl))) {
    throw createVariableError('HEARTH_SMTP_URL', 'must be an smtp:// or smtps:// URL');
  }
  if (smtpUrl !== null && !isDecodable(smtpUrl)) {
    throw createVariableError('HEARTH_SMTP_URL', 'must write each % of a user or password as %25');
  }
  const from = readMailAddress(env, 'HEARTH_MAIL_FROM');
  if (delivery === 'smtp') {
    // Without it, the links of mails would lead to the address that the server listens on.
    if (getVariable(env, 'HEARTH_EXTERNAL_URL') === null)
      throw createVariableError('HEARTH_EXTERNAL_URL', 'must be set when HEARTH_MAIL_DELIVERY is smtp');
    if (smtpUrl === null) throw createVariableError('HEARTH_SMTP_URL', 'must be set when HEARTH_MAIL_DELIVERY is smtp');
    if (from === null) throw createVariableError('HEARTH_MAIL_FROM', 'must be set when HEARTH_MAIL_DELIVERY is smtp');
  }
  const displayName = readLine(env, 'HEARTH_MAIL_DISPLAY_NAME');
  return Object.freeze({ delivery, smtpUrl, from, displayName, replyTo: readMailAddress(env, 'HEARTH_MAIL_REPLY_TO') });
}

/** Returns whether the text is validly percent-encoded. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function readMailAddress(env: EnvironmentVariables, name: EnvVariableName): string | null {
  const text = readLine(env, name);
  if (text !== null && !/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(text))
    throw createVariableError(name, 'must be a mail address');
  return text;
}
