import type { Example, Examples } from '#test/examples/example.ts';
import type { TestSite } from '#test/support/replication-sites.ts';
import type * as endpoints from './endpoints.ts';

/** Returns a call by a site. `headers` returns a new token each time, because a token is accepted once. */
function buildSiteCall<Details extends object>(site: TestSite, details: Details, data?: object) {
  return Object.defineProperty({ by: 'anonymous' as const, ...details }, 'headers', {
    enumerable: true,
    get: () => site.proof(data),
  }) as Details & { readonly by: 'anonymous'; readonly headers: NonNullable<Example['headers']> };
}

export const examples: Examples<typeof endpoints> = {
  reportGeoStatus: async ({ newSite }) => {
    const site = await newSite();
    return buildSiteCall(site, { params: { geo_node_id: site.id } });
  },
  getFollowingSite: async ({ newSite }) => buildSiteCall(await newSite(), {}),
  listReplicables: async ({ newSite }) =>
    buildSiteCall(await newSite(), { params: { replicable_name: 'project_repository' } }),
  listGeoEvents: async ({ newSite }) => buildSiteCall(await newSite(), {}),
  retrieveReplicable: async ({ newSite, expectSuccess }) => {
    const site = await newSite();
    const [{ replicable_id }] = (await expectSuccess(site.get('/geo/replicables', { replicable_name: 'lfs_object' })))
      .body;
    const path = { replicable_name: 'lfs_object', replicable_id };
    return buildSiteCall(site, { path }, path);
  },
};
