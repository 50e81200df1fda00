import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** Locks of files by git-lfs clients (contract/repository.md §5 "LFS locks"). */
export const lfsLocks = resourceModule({ endpoints });
