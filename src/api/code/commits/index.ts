import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

export { CommitDetail, showCommit } from './detail.ts';
export { Diff, diffEntities } from './diff.ts';
export { Commit, type CommitContext, commitEntity, commitFields } from './entities.ts';

export const commits = family({ endpoints });
