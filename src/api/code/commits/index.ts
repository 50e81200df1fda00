import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { Commit, type CommitRow, Diff } from './entities.ts';

export { commitResource } from './get.ts';
export { paginateDiff } from './paginate-diff.ts';
export { downloadPatch, type PatchFormat, patchResponse } from './patch-download.ts';

export const commits = resourceModule({ endpoints });
