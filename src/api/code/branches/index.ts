import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteMergedBranchesJob } from './changes.ts';
import * as endpoints from './endpoints.ts';

export const branches = resourceModule({ endpoints, jobs: [deleteMergedBranchesJob] });
