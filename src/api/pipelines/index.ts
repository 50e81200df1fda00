import type { Families } from '../../http/endpoint/family.ts';
import { artifacts } from './artifacts/index.ts';
import { jobRequests } from './job-requests/index.ts';
import { jobs } from './jobs/index.ts';
import { pipelines as pipelinesFamily } from './pipelines/index.ts';
import { resourceGroups } from './resource-groups/index.ts';
import { runners } from './runners/index.ts';
import { traces } from './traces/index.ts';

/** What is run of a repository, and who runs it. */
export const pipelines: Families = {
  jobs,
  pipelines: pipelinesFamily,
  'resource-groups': resourceGroups,
  runners,
  'job-requests': jobRequests,
  traces,
  artifacts,
};
