import type { KeyObject } from 'node:crypto';
import { baseWithoutRequest, type Config, ConfigError } from '#config.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type Asking, PrimaryFailure } from '../primary/client.ts';
import { type Identity, storedIdentity, storeIdentity } from './identity.ts';
import { register } from './register.ts';

/** Who this site is, as soon as that is known. */
export interface Registered {
  /** Null: the primary could not say yet. */
  identity(): Identity | null;
  /** Asks the primary who this site is, unless that is known. */
  attempt(): Promise<void>;
}

interface RegisteredOptions {
  readonly config: Config;
  readonly key: KeyObject;
  readonly asking: Asking;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The port that is really listened on. */
  readonly port: () => number;
}

/** As sysexits.h has it: something is wrong with the settings. */
const EX_CONFIG = 78;

/** The name of this site. */
export function siteNameOf(config: Config, port: number): string {
  return config.siteName ?? baseWithoutRequest(config, port);
}

/** Reads the stored identity. Throws ConfigError when there is neither one nor anything to register with. */
export async function openIdentity(options: RegisteredOptions): Promise<Registered> {
  const { config, key, asking, clock, log, signal } = options;
  let identity = await storedIdentity(config.dataDir, key);
  const token = config.primaryToken;
  if (identity === null && token === null) {
    throw new ConfigError(
      `HEARTH_PRIMARY_TOKEN must be set until this site has registered: an administrator's token of ${config.primaryUrl}, or <access_key>:<secret> of the site`,
      EX_CONFIG,
    );
  }
  return {
    identity: () => identity,
    async attempt() {
      if (identity !== null || token === null) return;
      const port = options.port();
      const [name, url] = [siteNameOf(config, port), baseWithoutRequest(config, port)];
      try {
        const found = await register({ asking, token, name, url, clock, signal });
        await storeIdentity(config.dataDir, key, found);
        identity = found;
        log.info({ site: found.siteId, name }, 'This site has registered with its primary');
      } catch (error) {
        if (!(error instanceof PrimaryFailure)) throw error;
        log.warn({ reason: error.message }, 'This site could not register with its primary yet');
      }
    },
  };
}
