import type { Database } from '#database/database.ts';
import { defineJob } from './job.ts';

/** Updates the planner's statistics, so that query plans suit a database that grows. */
export const updateStatisticsJob = defineJob({
  kind: 'gather_statistics',
  handle: ({ database }: { readonly database: Database }) => database.updateStatistics(),
});

export const updateStatisticsRegularly = { name: 'gather_statistics', cron: '*/10 * * * *', job: updateStatisticsJob };
