import { type Static, Type } from 'typebox';
import type { Commit as GitCommit, Tag as GitTag } from '../../../git/objects.ts';
import { nullable, shape } from '../../../http/endpoint/answers.ts';
import { commitSchema as Commit, commitEntity } from '../commits/index.ts';

export const Tag = shape('Tag', {
  name: Type.String(),
  message: Type.String(),
  target: Type.String(),
  commit: nullable(Commit),
  release: Type.Null(),
  protected: Type.Boolean(),
  created_at: nullable(Type.String()),
});

/** A tag as git knows it: what the ref points to, the annotation if there is one, the commit at the end of it. */
export interface TagState {
  readonly name: string;
  readonly target: string;
  readonly annotation: GitTag | null;
  /** null: the tag names something that is no commit. */
  readonly commit: GitCommit | null;
}

export function tagEntities(tags: readonly TagState[], projectUrl: string): Static<typeof Tag>[] {
  return tags.map(({ name, target, annotation, commit }) => ({
    name: name.toWellFormed(),
    message: annotation?.message.toWellFormed() ?? '',
    target,
    commit: commit === null ? null : commitEntity(commit, { projectUrl }),
    release: null,
    protected: false,
    created_at: annotation?.tagger?.date ?? null,
  }));
}
