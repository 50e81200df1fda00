import { family } from '../../../http/endpoint/family.ts';
import { startDelayedJob } from '../processing/index.ts';

export const jobs = family({ endpoints: {}, jobs: [startDelayedJob] });
