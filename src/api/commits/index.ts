export { CommitDetail, showCommit } from './detail.ts';
export { Diff, diffEntities } from './diff.ts';
export { Commit, type CommitContext, commitEntity, commitFields } from './entities.ts';
