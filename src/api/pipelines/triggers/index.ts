import { family } from '#http/endpoint/resource-module.ts';
import { sweepTriggers, sweepTriggersDaily } from './cleanup.ts';
import * as endpoints from './endpoints.ts';
import { endWithOwner, endWithProject } from './on-delete.ts';

export const triggers = family({
  endpoints,
  jobs: [sweepTriggers],
  schedules: [sweepTriggersDaily],
  subscriptions: [endWithProject, endWithOwner],
});
