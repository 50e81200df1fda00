import type { Git } from '#git/git.ts';
import { objectInfo, readCommit, readTag } from '#git/objects/object-reader.ts';
import { TAGS } from '#git/ref-names.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { TagRow } from './entities.ts';

/** The tag of this name; null when there is none. */
export async function findTag(git: Git, project: TagRow['project'], name: string): Promise<TagRow | null> {
  const target = await resolveRef(repositoryOf(git, project), TAGS + name);
  return target === null ? null : tagAt(git, project, name, target);
}

/** A tag whose ref points there. */
export async function tagAt(git: Git, project: TagRow['project'], name: string, target: string): Promise<TagRow> {
  const repository = repositoryOf(git, project);
  const annotation = await readTag(git, repository, target);
  const info = annotation ? await objectInfo(git, repository, `${target}^{commit}`) : { id: target };
  const commit = info && (await readCommit(git, repository, info.id));
  return { project, name, target, annotation, commit };
}
