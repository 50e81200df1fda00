import { resourceModule } from '#http/endpoint/resource-module.ts';
import { onScheduleOwnerDeleted } from './changes.ts';
import * as endpoints from './endpoints.ts';
import { playSchedule, runSchedule, startDueSchedules, startDueSchedulesEachMinute } from './run.ts';

export const pipelineSchedules = resourceModule({
  endpoints,
  jobs: [startDueSchedules, runSchedule, playSchedule],
  schedules: [startDueSchedulesEachMinute],
  subscriptions: [onScheduleOwnerDeleted],
});
