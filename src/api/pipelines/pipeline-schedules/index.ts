import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endWithOwner } from './ends.ts';
import { playSchedule, runSchedule, startDueSchedules, startDueSchedulesEachMinute } from './run.ts';

export const pipelineSchedules = family({
  endpoints,
  jobs: [startDueSchedules, runSchedule, playSchedule],
  schedules: [startDueSchedulesEachMinute],
  subscriptions: [endWithOwner],
});
