import { subscription } from '../../../facts/bus.ts';
import { family } from '../../../http/endpoint/family.ts';
import { followJobs } from './follow-jobs.ts';
import { makeEnvironments } from './make-environments.ts';

/** What CI jobs do with environments: no endpoints, but what follows from the steps of jobs. */
export const deploying = family({
  endpoints: {},
  subscriptions: [
    subscription({ fact: 'environments-wanted', inTransaction: makeEnvironments }),
    subscription({ fact: 'jobs-stepped', inTransaction: followJobs }),
  ],
});
