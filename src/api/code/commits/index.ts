import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

export { Commit, type CommitRow, Diff } from './entities.ts';

export { namedCommit } from './named.ts';

export const commits = family({ endpoints });
