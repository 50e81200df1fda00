import { subscription } from '../../../facts/bus.ts';
import { family } from '../../../http/endpoint/family.ts';
import { followJobs } from './follow-jobs.ts';
import { makeEnvironments } from './make-environments.ts';
import { stopEnvironments, stopWithBranches, stopWithMergeRequest } from './stop-with-refs.ts';

/** What CI jobs do with environments: no endpoints, but what follows from the steps of jobs. */
export const deploying = family({
  endpoints: {},
  jobs: [stopEnvironments],
  subscriptions: [
    subscription({ fact: 'environments-wanted', inTransaction: makeEnvironments }),
    subscription({ fact: 'jobs-stepped', inTransaction: followJobs }),
    subscription({ fact: 'refs-changed', inTransaction: stopWithBranches }),
    subscription({ fact: 'occurred', inTransaction: stopWithMergeRequest }),
  ],
});
