import { family } from '#http/endpoint/resource-module.ts';
import { sweepContent, sweepContentDaily } from './cleanup.ts';
import * as endpoints from './endpoints.ts';

export const lfs = family({
  endpoints,
  jobs: [sweepContent],
  schedules: [sweepContentDaily],
});
