import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  reportGeoStatus: async ({ newSite }) => {
    const site = await newSite();
    return { by: 'anonymous', params: { geo_node_id: site.id }, headers: site.proof() };
  },
  getFollowingSite: async ({ newSite }) => ({ by: 'anonymous', headers: (await newSite()).proof() }),
  listReplicables: async ({ newSite }) => ({
    by: 'anonymous',
    params: { replicable_name: 'project_repository' },
    headers: (await newSite()).proof(),
  }),
  listGeoEvents: async ({ newSite }) => ({ by: 'anonymous', headers: (await newSite()).proof() }),
  retrieveReplicable: async ({ newSite, done }) => {
    const site = await newSite();
    const [{ replicable_id }] = (await done(site.get('/geo/replicables', { replicable_name: 'lfs_object' }))).body;
    const path = { replicable_name: 'lfs_object', replicable_id };
    return { by: 'anonymous', path, headers: site.proof(path) };
  },
};
