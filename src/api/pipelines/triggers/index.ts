import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endWithOwner, endWithProject } from './ends.ts';
import { sweepTriggers, sweepTriggersDaily } from './sweep.ts';

export const triggers = family({
  endpoints,
  jobs: [sweepTriggers],
  schedules: [sweepTriggersDaily],
  subscriptions: [endWithProject, endWithOwner],
});
