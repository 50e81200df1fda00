import type { KeyObject } from 'node:crypto';
import { type Config, ConfigError, getServerUrl } from '#config.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type PrimaryClient, PrimaryFailure } from '../primary/client.ts';
import { readIdentity, type SiteIdentity, writeIdentity } from './identity.ts';
import { registerSite } from './register.ts';

/** The identity of this site, once it is known. */
export interface RegisteredSite {
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
  readonly port: () => number;
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
      const port = options.port();
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
