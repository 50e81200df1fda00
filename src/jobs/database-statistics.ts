import type { Database } from '#database/database.ts';
import { defineJob } from './job.ts';

/** A database that grows while the server runs gets plans for what it has become. */
export const gatherStatistics = defineJob({
  kind: 'gather_statistics',
  handle: ({ database }: { readonly database: Database }) => database.gatherStatistics(),
});

export const gatherStatisticsOften = { name: 'gather_statistics', cron: '*/10 * * * *', job: gatherStatistics };
