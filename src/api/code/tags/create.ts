import type { Project } from '../../../access/projects.ts';
import { writeTag } from '../../../git/annotated-tag.ts';
import { looksLikeObjectId, resolveRef, validTagName, zeroId } from '../../../git/refs.ts';
import { resolveRevision } from '../../../git/revision.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { SettlingRooms } from '../../../repositories/settle.ts';

export type TagRefusal = 'nameInvalid' | 'exists' | 'targetInvalid' | 'isDefaultBranch' | 'looksLikeSha' | 'readOnly';

export interface NewTagRequest {
  readonly project: Project;
  readonly caller: SignedIn;
  readonly name: string;
  readonly ref: string;
  /** Not blank: an annotated tag. */
  readonly message: string | null | undefined;
}

/** A tag at the commit that `ref` names; the id that the new ref points to. */
export async function createTagAt(
  rooms: SettlingRooms,
  request: NewTagRequest,
): Promise<{ target: string } | Refused<TagRefusal>> {
  const { project, caller, name, ref } = request;
  if (!validTagName(name)) return refused('nameInvalid');
  if (looksLikeObjectId(name)) return refused('looksLikeSha');
  if (name === project.default_branch) return refused('isDefaultBranch');
  const repository = repositoryOf(rooms.git, project);
  if ((await resolveRef(repository, `refs/tags/${name}`)) !== null) return refused('exists', { name });
  const commit = await resolveRevision(rooms.git, repository, ref);
  if (commit === null) return refused('targetInvalid', { ref });
  const target = await objectFor(rooms, request, commit);
  const change = { ref: `refs/tags/${name}`, oldId: zeroId, newId: target };
  const moved = await moveRefs(rooms, { project, userId: caller.user.id, changes: [change] });
  if (!isRefused(moved)) return { target };
  if (moved.code === 'readOnly') return refused('readOnly');
  return moved.code === 'moved' ? refused('exists', { name }) : refused('nameInvalid');
}

async function objectFor(
  rooms: SettlingRooms,
  { project, caller, name, message }: NewTagRequest,
  commit: string,
): Promise<string> {
  if (!message?.trim()) return commit;
  const tagger = { name: caller.user.name, email: caller.user.email };
  return writeTag(rooms.git, repositoryOf(rooms.git, project), {
    name,
    targetId: commit,
    targetType: 'commit',
    tagger,
    message,
  });
}
