import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const created: Build = ({ name }) => {
  const site = name('site');
  return { by: 'administrator', params: { name: site, url: `https://${site}.test` } };
};

const ofAll: Build = () => ({ by: 'administrator' });

const ofOne: Build = async ({ newSite }) => ({ by: 'administrator', path: { id: (await newSite()).id } });

const changed: Build = async ({ newSite }) => ({
  by: 'administrator',
  path: { id: (await newSite()).id },
  params: { enabled: false },
});

/** Of one that has reported. */
const ofReported: Build = async ({ newSite, done }) => {
  const site = await newSite();
  await done(site.send('POST', '/geo/status', { geo_node_id: site.id }));
  return { by: 'administrator', path: { id: site.id } };
};

export const examples: Examples<typeof endpoints> = {
  createGeoSite: created,
  createGeoNode: created,
  listGeoSites: ofAll,
  listGeoNodes: ofAll,
  listGeoSiteStatuses: ofAll,
  listGeoNodeStatuses: ofAll,
  getGeoSite: ofOne,
  getGeoNode: ofOne,
  updateGeoSite: changed,
  updateGeoNode: changed,
  deleteGeoSite: ofOne,
  deleteGeoNode: ofOne,
  repairGeoSite: ofOne,
  repairGeoNode: ofOne,
  getGeoSiteStatus: ofReported,
  getGeoNodeStatus: ofReported,
  createGeoSiteCredentials: ofOne,
};
