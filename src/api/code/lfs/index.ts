import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { sweepContent, sweepContentDaily } from './sweep.ts';

export const lfs = family({
  endpoints,
  jobs: [sweepContent],
  schedules: [sweepContentDaily],
});
