import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const createSite: Build = ({ name }) => {
  const site = name('site');
  return { by: 'administrator', params: { name: site, url: `https://${site}.test` } };
};

const asAdministrator: Build = () => ({ by: 'administrator' });

const onNewSite: Build = async ({ newSite }) => ({ by: 'administrator', path: { id: (await newSite()).id } });

const updateNewSite: Build = async ({ newSite }) => ({
  by: 'administrator',
  path: { id: (await newSite()).id },
  params: { enabled: false },
});

/** Calls an endpoint of a site that has reported its status. */
const onReportedSite: Build = async ({ newSite, expectSuccess }) => {
  const site = await newSite();
  await expectSuccess(site.send('POST', '/geo/status', { geo_node_id: site.id }));
  return { by: 'administrator', path: { id: site.id } };
};

export const examples: Examples<typeof endpoints> = {
  createGeoSite: createSite,
  createGeoNode: createSite,
  listGeoSites: asAdministrator,
  listGeoNodes: asAdministrator,
  listGeoSiteStatuses: asAdministrator,
  listGeoNodeStatuses: asAdministrator,
  getGeoSite: onNewSite,
  getGeoNode: onNewSite,
  updateGeoSite: updateNewSite,
  updateGeoNode: updateNewSite,
  deleteGeoSite: onNewSite,
  deleteGeoNode: onNewSite,
  repairGeoSite: onNewSite,
  repairGeoNode: onNewSite,
  getGeoSiteStatus: onReportedSite,
  getGeoNodeStatus: onReportedSite,
  createGeoSiteCredentials: onNewSite,
};
