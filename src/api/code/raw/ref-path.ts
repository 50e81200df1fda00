import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { resolveRevisionAtVersion } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { getRefVersion, getRepository, type VersionedRepository } from '#repositories/repository.ts';

/** A revision, and a path in its tree. */
interface RefAndPath {
  readonly ref: string;
  readonly path: string;
}

/** Maximum number of segments in the name of a ref; each is looked up. */
const MAX_REF_SEGMENTS = 32;

/**
 * Splits the end of an address, `fix/1/src/main.ts`: its first segment is the ref, or else the longest branch or tag with which it
 * begins (contract/web.md §2). Returns null if there is none.
 */
export async function splitRefPath(
  git: Git,
  project: VersionedRepository,
  refPath: string,
): Promise<RefAndPath | null> {
  const repository = getRepository(git, project);
  const segments = refPath.split('/');
  const toPath = (refSegments: number) => segments.slice(refSegments).join('/');
  const firstSegment = segments[0]!;
  if ((await resolveRevisionAtVersion(git, repository, firstSegment, getRefVersion(project))) !== null)
    return { ref: firstSegment, path: toPath(1) };
  for (let count = Math.min(segments.length - 1, MAX_REF_SEGMENTS); count > 1; count -= 1) {
    const ref = await findTagOrBranch(repository, segments.slice(0, count).join('/'));
    if (ref !== null) return { ref, path: toPath(count) };
  }
  return null;
}

/** Returns the full name of the tag or else the branch, or null. */
async function findTagOrBranch(repository: Repository, name: string): Promise<string | null> {
  for (const ref of [TAGS + name, HEADS + name]) if ((await resolveRef(repository, ref)) !== null) return ref;
  return null;
}
