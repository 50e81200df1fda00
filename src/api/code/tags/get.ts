import type { Git } from '#git/git.ts';
import { getObjectInfo, readCommit, readTag } from '#git/objects/object-reader.ts';
import { TAGS } from '#git/ref-names.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { getRepository } from '#repositories/repository.ts';
import type { TagRow } from './entities.ts';

/** Returns the tag of this name, or null. */
export async function findTag(git: Git, project: TagRow['project'], name: string): Promise<TagRow | null> {
  const target = await resolveRef(getRepository(git, project), TAGS + name);
  return target === null ? null : loadTag(git, project, name, target);
}

/** Returns the tag row for a known target. */
export async function loadTag(git: Git, project: TagRow['project'], name: string, target: string): Promise<TagRow> {
  const repository = getRepository(git, project);
  const annotation = await readTag(git, repository, target);
  // An annotated tag is peeled to its commit; a lightweight one points to it.
  const info = annotation ? await getObjectInfo(git, repository, `${target}^{commit}`) : { id: target };
  const commit = info && (await readCommit(git, repository, info.id));
  return { project, name, target, annotation, commit };
}
