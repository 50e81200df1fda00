import { createApplication, deleteApplication, updateApplication } from '#authentication/oauth/applications.ts';
import type { Transaction } from '#database/database.ts';
import type { Site } from './site.ts';
import { updateSiteRow } from './store.ts';

/** OAuth applications of secondaries. Users of a secondary sign in with them on the primary. */

const buildApplicationInput = ({ url }: Pick<Site, 'url'>) => ({
  name: `Geo node: ${url}`,
  redirectUris: [`${url}oauth/geo/callback`],
});

/** Creates the application of a secondary, or updates its redirect URI to the site's URL. */
export async function createOrUpdateApplication(tx: Transaction, site: Site): Promise<Site> {
  if (site.is_primary) return site;
  if (site.oauth_application_id !== null) {
    await updateApplication(tx, site.oauth_application_id, buildApplicationInput(site));
    return site;
  }
  const { application } = await createApplication(tx, {
    ...buildApplicationInput(site),
    scopes: [],
    confidential: true,
  });
  return (await updateSiteRow(tx, site.id, { oauth_application_id: application.id })) ?? site;
}

export async function deleteSiteApplication(tx: Transaction, { oauth_application_id }: Site): Promise<void> {
  if (oauth_application_id !== null) await deleteApplication(tx, oauth_application_id);
}
