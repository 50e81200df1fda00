import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endWithOwner } from './on-delete.ts';
import { playSchedule, runSchedule, startDueSchedules, startDueSchedulesEachMinute } from './run.ts';

export const pipelineSchedules = family({
  endpoints,
  jobs: [startDueSchedules, runSchedule, playSchedule],
  schedules: [startDueSchedulesEachMinute],
  subscriptions: [endWithOwner],
});
