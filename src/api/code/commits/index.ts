import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { Commit, type CommitRow, Diff } from './entities.ts';

export { commitResource } from './get.ts';

export const commits = resourceModule({ endpoints });
