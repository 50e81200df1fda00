import type { Project } from '../../../access/projects.ts';
import { TAGS } from '../../../git/names.ts';
import { zeroId } from '../../../git/refs.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import { toDeleteTag } from '../../../repositories/ref-rights.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';
import type { TagRow } from './entities.ts';

/** Deletes a tag that still points where it was found to. */
export async function deleteTagAt(
  rooms: RefRooms,
  caller: SignedIn,
  project: Project,
  { name, target }: Pick<TagRow, 'name' | 'target'>,
): Promise<undefined | Refused<'readOnly' | 'gone'>> {
  const change = { ref: TAGS + name, oldId: target, newId: zeroId };
  const moved = await moveRefs(rooms, { project, by: { caller, may: toDeleteTag }, changes: [change] });
  if (isRefused(moved)) return refused(moved.code === 'readOnly' ? 'readOnly' : 'gone');
}
