import { Type } from 'typebox';
import { isProtectedTag, listTagRules } from '#authorization/protected-tags.ts';
import type { Commit as GitCommit, Tag as GitTag } from '#git/objects/object-reader.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { Commit, type CommitRow } from '../commits/index.ts';

/** A git tag. */
export interface TagRow {
  readonly project: CommitRow['project'];
  readonly name: string;
  /** Id of the object that the ref names: a tag object, or for a lightweight tag the commit. */
  readonly target: string;
  /** The tag object; null for a lightweight tag. */
  readonly annotation: GitTag | null;
  /** Null if the tag does not lead to a commit. */
  readonly commit: GitCommit | null;
}

/** A tag (contract/repository.md §2). */
export const Tag = entity('Tag', {
  name: Type.String(),
  message: Type.String(),
  target: Type.String({ description: 'Id of the tag object, or of the commit for a lightweight tag.' }),
  commit: nullable(Commit.schema),
  release: Type.Null(),
  protected: Type.Boolean({ description: 'Whether a protection rule matches the name.' }),
  created_at: nullable(Type.String({ description: 'Date of an annotated tag; null for a lightweight tag.' })),
}).from(loadRules, ({ project, name, target, annotation, commit }: TagRow, context, rules) => ({
  name: name.toWellFormed(),
  message: annotation?.message.toWellFormed() ?? '',
  target,
  commit: commit === null ? null : Commit.serialize({ commit, project }, context),
  release: null,
  protected: isProtectedTag(rules, name),
  created_at: annotation?.tagger?.date ?? null,
}));

/** Loads the rules of protected tags. All tags of a list belong to one project. */
async function loadRules(tags: readonly TagRow[], { db }: SerializationContext) {
  const project = tags[0]?.project;
  return project === undefined ? [] : listTagRules(db, project.id);
}
