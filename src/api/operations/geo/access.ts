import type { Caller, CallerSite } from '#authentication/caller.ts';
import { type Access, access } from '#http/access/access.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { requireApiScope } from '../geo-sites/index.ts';

/** Access for replication sites with a signed token only (contract/operations.md §3.3). */

/** Enabled secondaries; with `disabled` also disabled ones. */
export function siteAccess({ disabled = false } = {}): Access<{ site: CallerSite }> {
  return access({
    audience: 'key',
    label: disabled ? 'site (disabled too)' : 'site',
    authenticate({ caller: { site } }) {
      if (site === undefined || !(site.enabled || disabled)) throw unauthorized();
      requireApiScope(site);
    },
    load: async ({ caller }) => ({ site: requireSite(caller) }),
    authorize: () => {},
  });
}

/** Enabled secondaries whose token is signed for the requested blob. */
export function siteBlobAccess(): Access<{ site: CallerSite }> {
  return access({
    audience: 'key',
    label: 'site',
    authenticate({ caller: { site }, path }) {
      const isSigned =
        site?.data.replicable_name === path.replicable_name && String(site?.data.replicable_id) === path.replicable_id;
      if (site?.enabled !== true || typeof site.data.replicable_id !== 'number' || !isSigned) throw unauthorized();
    },
    load: async ({ caller }) => ({ site: requireSite(caller) }),
    authorize: () => {},
  });
}

function requireSite({ site }: Caller): CallerSite {
  if (site === undefined) throw unauthorized();
  return site;
}
