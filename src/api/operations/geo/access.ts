import type { Caller, CallerSite } from '#authentication/caller.ts';
import { type Access, access } from '#http/access/access.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { requireApiScope } from '../geo-sites/index.ts';

/** Access for replication sites with a signed token only (contract/operations.md §3.3). */

/** Creates the access for enabled secondaries; with `allowDisabled`, also for disabled ones. */
export function siteAccess({ allowDisabled = false } = {}): Access<{ site: CallerSite }> {
  return access({
    audience: 'tokenHolder',
    label: allowDisabled ? 'site (disabled too)' : 'site',
    authenticate({ caller: { site } }) {
      if (site === undefined || !(site.enabled || allowDisabled)) throw unauthorized();
      requireApiScope(site);
    },
    load: async ({ caller }) => ({ site: requireSite(caller) }),
    authorize: () => {},
  });
}

/** Creates the access for enabled secondaries whose token is signed for the requested blob. */
export function siteBlobAccess(): Access<{ site: CallerSite }> {
  return access({
    audience: 'tokenHolder',
    label: 'site',
    authenticate({ caller: { site }, path }) {
      const isSigned =
        site?.claims.replicable_name === path.replicable_name &&
        String(site?.claims.replicable_id) === path.replicable_id;
      if (site?.enabled !== true || typeof site.claims.replicable_id !== 'number' || !isSigned) throw unauthorized();
    },
    load: async ({ caller }) => ({ site: requireSite(caller) }),
    authorize: () => {},
  });
}

function requireSite({ site }: Caller): CallerSite {
  if (site === undefined) throw unauthorized();
  return site;
}
