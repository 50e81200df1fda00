import { family } from '#http/endpoint/resource-module.ts';
import { deleteMerged } from './delete-merged.ts';
import * as endpoints from './endpoints.ts';

export const branches = family({ endpoints, jobs: [deleteMerged] });
