import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { askForApi } from './access.ts';
export { ROOTS, siteEntity } from './entities.ts';
export { secondsOf, storageDigest } from './primary-status.ts';
export type { Site } from './site.ts';
export { keepStatus, type SiteWithStatus } from './status.ts';
export { statusEntity } from './status-entity.ts';
export { COUNTED_BY_SECONDARIES, KINDS, kindValues, percentageOf, WEEKLY } from './status-fields.ts';
export { findPrimary, findSite } from './store.ts';

/** Replication sites: who they are, and how they are. */
export const geoSites = resourceModule({ endpoints });
