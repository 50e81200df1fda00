import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteOldEvents, deleteOldEventsHourly } from './events.ts';

/**
 * API for secondaries. A secondary authenticates with a signed header (`authentication/tokens/site-keys.ts`), which is
 * accepted only by endpoints that declare `allowSiteToken`.
 * Triggers record changes of repositories and blobs in `geo_events` (`replication.ts` of the baseline schema), but only while a secondary
 * exists: a push needs no further statement, and cascading deletions are recorded too. On PostgreSQL these triggers run
 * at commit and one after another, so that a reader with "greater than the last id" misses no event.
 * Jobs compute the checksums that sites request (`operations/replicables/checksums.ts`). A checksum is valid for one
 * version of the refs. The scope of a site is a condition of each query (`domain/site-scope.ts`).
 */
export const geo = resourceModule({ endpoints, jobs: [deleteOldEvents], schedules: [deleteOldEventsHourly] });
