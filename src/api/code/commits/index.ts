import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { commitResource } from './access.ts';
export { Commit, type CommitRow, Diff, paginateDiff } from './entities.ts';
export { downloadPatch, type PatchFormat, patchResponse } from './patch-download.ts';

export const commits = resourceModule({ endpoints });
