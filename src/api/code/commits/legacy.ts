import type { Static } from 'typebox';
import type { FileDiff } from '../../../git/diff.ts';
import type { Commit as GitCommit } from '../../../git/objects.ts';
import { Commit, commitShape, Diff } from './entities.ts';

/** For families that still make their shapes themselves. */

export const commitSchema = Commit.schema;
export const diffSchema = Diff.schema;

export function commitEntity(commit: GitCommit, { projectUrl }: { readonly projectUrl: string }) {
  return commitShape(commit, projectUrl);
}

export function diffEntities(
  files: readonly FileDiff[],
  params: { readonly unidiff: boolean },
): Static<typeof Diff.schema>[] {
  return files.map((file) => Diff.one(file, { params } as never));
}
