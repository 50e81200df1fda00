import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteOldEvents, deleteOldEventsHourly } from './cleanup.ts';
import * as endpoints from './endpoints.ts';

/**
 * What sites that hold copies ask this server. A secondary proves itself by a signed header (`authentication/tokens/site-keys.ts`),
 * which counts on endpoints that declare `siteProof` and is no credential on others. What happens to repositories and
 * blobs triggers write into `geo_events` (migration 0083), by whatever statement or reference, and only while there is
 * a secondary: a push costs no statement more, and what goes with its project is told too. On PostgreSQL the commit
 * runs them, one after another, so that whoever follows by "greater than the last" misses nothing. Checksums are found
 * by the queue when a site has asked for them (`operations/replicables/checksums.ts`), and count for the version of
 * refs that they were read at. What a site holds is a condition on each query (`domain/site-scope.ts`).
 */
export const geo = resourceModule({ endpoints, jobs: [deleteOldEvents], schedules: [deleteOldEventsHourly] });
