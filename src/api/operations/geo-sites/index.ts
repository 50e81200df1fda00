import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { requireApiScope } from './access.ts';
export { buildSiteEntity, GEO_SITE_APIS } from './entities.ts';
export { hashStorageNames, toUnixSeconds } from './primary-status.ts';
export {
  buildReplicableValues,
  formatPercentage,
  REPLICABLE_KINDS,
  SECONDARY_COUNT_SUFFIXES,
  type SiteWithStatus,
  storeStatus,
  WEEKLY_COUNT_NAMES,
} from './status.ts';
export { buildStatusEntity } from './status-entity.ts';
export { findPrimary, findSite, type Site } from './store.ts';

/** Replication sites and their statuses. */
export const geoSites = resourceModule({ endpoints });
