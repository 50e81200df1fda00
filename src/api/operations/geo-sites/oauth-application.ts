import { createApplication, deleteApplication, updateApplication } from '#authentication/oauth/applications.ts';
import type { Transaction } from '#database/database.ts';
import type { Site } from './site.ts';
import { updateSite } from './store.ts';

/** The OAuth application by which users of a secondary sign in at the primary: each secondary has one. */

const applicationOf = ({ url }: Pick<Site, 'url'>) => ({
  name: `Geo node: ${url}`,
  redirectUris: [`${url}oauth/geo/callback`],
});

/** Gives a secondary the application that it lacks, and the one that it has the site's address. */
export async function keepApplication(tx: Transaction, site: Site): Promise<Site> {
  if (site.is_primary) return site;
  if (site.oauth_application_id !== null) {
    await updateApplication(tx, site.oauth_application_id, applicationOf(site));
    return site;
  }
  const { application } = await createApplication(tx, { ...applicationOf(site), scopes: [], confidential: true });
  return (await updateSite(tx, site.id, { oauth_application_id: application.id })) ?? site;
}

export async function endApplication(tx: Transaction, { oauth_application_id }: Site): Promise<void> {
  if (oauth_application_id !== null) await deleteApplication(tx, oauth_application_id);
}
