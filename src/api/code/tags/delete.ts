import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { TAGS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { toDeleteTag } from '#repositories/ref-updates/ref-permissions.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { TagRow } from './entities.ts';

/** Deletes a tag that still points where it was found to. */
export async function deleteTagAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, target }: Pick<TagRow, 'name' | 'target'>,
): Promise<undefined | Failure<'readOnly' | 'gone'>> {
  const change = { ref: TAGS + name, oldId: target, newId: zeroId };
  const moved = await moveRefs(services, { project, by: { caller, may: toDeleteTag }, changes: [change] });
  if (isFailure(moved)) return fail(moved.code === 'readOnly' ? 'readOnly' : 'gone');
}
