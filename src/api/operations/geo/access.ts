import type { Caller, CallerSite } from '#authentication/caller.ts';
import { type Access, access } from '#http/access/access.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { askForApi } from '../geo-sites/index.ts';

/** Replication sites by their own proof, and nobody else (contract/operations.md §3.3). */

/** A site that follows this server; with `disabled` also one that is told to rest. */
export function bySite({ disabled = false } = {}): Access<{ site: CallerSite }> {
  return access({
    audience: 'key',
    label: disabled ? 'site (disabled too)' : 'site',
    authenticate({ caller: { site } }) {
      if (site === undefined || !(site.enabled || disabled)) throw unauthorized();
      askForApi(site);
    },
    load: async ({ caller }) => ({ site: siteOf(caller) }),
    authorize: () => {},
  });
}

/** A site that has signed which blob it wants. */
export function byBlobOfSite(): Access<{ site: CallerSite }> {
  return access({
    audience: 'key',
    label: 'site',
    authenticate({ caller: { site }, path }) {
      const isSigned =
        site?.data.replicable_name === path.replicable_name && String(site?.data.replicable_id) === path.replicable_id;
      if (site?.enabled !== true || typeof site.data.replicable_id !== 'number' || !isSigned) throw unauthorized();
    },
    load: async ({ caller }) => ({ site: siteOf(caller) }),
    authorize: () => {},
  });
}

function siteOf({ site }: Caller): CallerSite {
  if (site === undefined) throw unauthorized();
  return site;
}
