import { type KeyObject, randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Config, ConfigError, getServerUrl } from '#config.ts';
import { foldCase } from '#database/name-keys.ts';
import { syncDirectory } from '#git/storage/storage.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { SITE_IDENTITY_CONTEXT } from '#security/encrypted-columns.ts';
import { DecryptionError, decrypt, encrypt } from '#security/encryption.ts';
import { trimEndCharacters } from '#text/trim.ts';
import { createSiteAuthorization, type PrimaryClient, PrimaryFailure, type SiteKeys } from './primary/client.ts';
import { Credentials, OwnSiteResponse, type SiteRow, SiteRows } from './primary/schemas.ts';

/** The identity of this site, once it is known. */
interface RegisteredSite {
  /** Returns the identity, or null until this site has registered. */
  identity(): SiteIdentity | null;
  /** Registers at the primary, unless the identity is known. */
  register(): Promise<void>;
}

interface RegisteredSiteOptions {
  readonly config: Config;
  readonly key: KeyObject;
  readonly client: PrimaryClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Returns the actual port. */
  readonly getPort: () => number;
}

/** `EX_CONFIG` of sysexits.h: invalid configuration. */
const EX_CONFIG = 78;

/** Returns the configured name of this site, by default its URL. */
export function getSiteName(config: Config, port: number): string {
  return config.siteName ?? getServerUrl(config, port);
}

/** Loads the stored identity. Throws ConfigError if there is none and no token to register with. */
export async function loadRegisteredSite(options: RegisteredSiteOptions): Promise<RegisteredSite> {
  const { config, key, client, clock, log, signal } = options;
  let identity = await readIdentity(config.dataDir, key);
  const token = config.primaryToken;
  if (identity === null && token === null) {
    throw new ConfigError(
      `HEARTH_PRIMARY_TOKEN must be set until this site has registered: an administrator's token of ${config.primaryUrl}, or <access_key>:<secret> of the site`,
      EX_CONFIG,
    );
  }
  return {
    identity: () => identity,
    async register() {
      if (identity !== null || token === null) return;
      const port = options.getPort();
      const [name, url] = [getSiteName(config, port), getServerUrl(config, port)];
      try {
        const newIdentity = await registerSite({ client, token, name, url, clock, signal });
        await writeIdentity(config.dataDir, key, newIdentity);
        identity = newIdentity;
        log.info({ site: newIdentity.siteId, name }, 'This site has registered with its primary');
      } catch (error) {
        if (!(error instanceof PrimaryFailure)) throw error;
        log.warn({ reason: error.message }, 'Registering with the primary failed; trying again');
      }
    },
  };
}

const siteIdentitySchema = Type.Object({ siteId: Type.Integer(), accessKey: Type.String(), secret: Type.String() });

/** Identity and credentials of this site at its primary. */
type SiteIdentity = Static<typeof siteIdentitySchema>;

const FILE_NAME = 'site-identity';

/** Returns the path of the file with the identity, which is encrypted with the instance's key. */
export const getIdentityPath = (dataDir: string) => join(dataDir, FILE_NAME);

/**
 * Returns the stored identity; null if this site has not registered yet. Throws ConfigError if this key cannot decrypt
 * the file.
 */
async function readIdentity(dataDir: string, key: KeyObject): Promise<SiteIdentity | null> {
  const path = getIdentityPath(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new ConfigError(`The file ${path} cannot be read: ${error.code}`);
  });
  if (text === null) return null;
  try {
    const identity: unknown = JSON.parse(decrypt(key, text.trim(), SITE_IDENTITY_CONTEXT));
    if (Value.Check(siteIdentitySchema, identity)) return identity;
  } catch (error) {
    if (!(error instanceof DecryptionError || error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError(
    `The file ${path} was not written with this secret key: restore the key, or remove the file to register anew`,
  );
}

/** Writes the identity atomically. The file is durable when the promise resolves. */
async function writeIdentity(dataDir: string, key: KeyObject, identity: SiteIdentity): Promise<void> {
  const path = getIdentityPath(dataDir);
  const temporaryPath = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    {
      await using file = await open(temporaryPath, 'wx', 0o600);
      await file.writeFile(`${encrypt(key, JSON.stringify(identity), SITE_IDENTITY_CONTEXT)}\n`);
      await file.sync();
    }
    await rename(temporaryPath, path);
  } finally {
    await rm(temporaryPath, { force: true });
  }
  await syncDirectory(dataDir);
}

/** Parameters of a registration (contract/operations.md §3.5). */
interface RegisterOptions {
  readonly client: PrimaryClient;
  /** HEARTH_PRIMARY_TOKEN: a token of an administrator, or `<access_key>:<secret>`. */
  readonly token: string;
  readonly name: string;
  /** URL of this site. */
  readonly url: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Registers as a site of the primary, or finds the existing site. With the site's keys it only finds the site; with an
 * administrator's token it creates the site if needed and requests new keys. Rejects with `PrimaryFailure` if a retry may succeed.
 */
async function registerSite(registration: RegisterOptions): Promise<SiteIdentity> {
  const [, accessKey, secret] = /^([^:]+):(.+)$/.exec(registration.token) ?? [];
  if (accessKey !== undefined && secret !== undefined) return registerByKeys(registration, { accessKey, secret });
  return registerAsAdministrator(registration);
}

/** Returns the site to which the keys belong. */
async function registerByKeys({ client, clock, signal }: RegisterOptions, keys: SiteKeys): Promise<SiteIdentity> {
  const headers = { authorization: createSiteAuthorization(keys, { scope: 'geo_api' }, clock.now()) };
  const { site } = await client.requestJson({ path: '/api/v4/geo/site', headers, signal }, OwnSiteResponse);
  return { siteId: site.id, ...keys };
}

/** Finds or creates the site by its name and requests new keys, which invalidates the previous ones. */
async function registerAsAdministrator(registration: RegisterOptions): Promise<SiteIdentity> {
  const { client, name, signal } = registration;
  const headers = { 'private-token': registration.token };
  const sites = await listAllSites(client, headers, '', signal);
  if (!sites.some(({ primary }) => primary)) {
    throw new PrimaryFailure('denied', 'The primary has no primary site: create it with POST /geo_sites');
  }
  const existingSite = sites.find((site) => toSiteNameKey(site.name) === toSiteNameKey(name));
  if (existingSite?.primary)
    throw new PrimaryFailure('denied', `${name} is the name of the primary: set HEARTH_SITE_NAME`);
  const id = existingSite?.id ?? (await createSite(registration, headers));
  const request = { method: 'POST', path: `/api/v4/geo_sites/${id}/credentials`, headers, signal };
  const keys = await client.requestJson(request, Credentials);
  return { siteId: id, accessKey: keys.access_key, secret: keys.secret_access_key };
}

async function createSite(
  { client, name, url, signal }: RegisterOptions,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const request = { method: 'POST', path: '/api/v4/geo_sites', headers, body: { name, url }, signal };
  const site = await client.requestJson(request, SiteRows.items);
  return site.id;
}

/** Maximum number of pages of sites that are requested. */
const MAX_PAGES = 20;
const PAGE_SIZE = 100;

/** Returns all sites of the primary that these credentials may read. `extraQuery` is empty or begins with `&`. */
export async function listAllSites(
  client: PrimaryClient,
  headers: Readonly<Record<string, string>>,
  extraQuery: string,
  signal?: AbortSignal,
): Promise<SiteRow[]> {
  const sites: SiteRow[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `/api/v4/geo_sites?per_page=${PAGE_SIZE}&page=${page}${extraQuery}`;
    const siteRows = await client.requestJson({ path, headers, ...(signal ? { signal } : {}) }, SiteRows);
    sites.push(...(siteRows as SiteRow[]));
    if (siteRows.length < PAGE_SIZE) break;
  }
  return sites;
}

/** Returns the key by which the primary compares names: ignores case and trailing slashes. */
function toSiteNameKey(name: string): string {
  return foldCase(trimEndCharacters(name.trim(), '/'));
}
