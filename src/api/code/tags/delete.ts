import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { TAGS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { deleteTagPermission } from '#repositories/ref-updates/ref-permissions.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { TagRow } from './entities.ts';

/** Deletes a tag if it still points to the same target. */
export async function deleteTagAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, target }: Pick<TagRow, 'name' | 'target'>,
): Promise<undefined | Failure<'readOnly' | 'isProtected' | 'notFound'>> {
  const change = { ref: TAGS + name, oldId: target, newId: ZERO_ID };
  const moveResult = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: deleteTagPermission(name) },
    changes: [change],
  });
  if (!isFailure(moveResult)) return;
  const { code } = moveResult;
  return fail(code === 'readOnly' || code === 'isProtected' ? code : 'notFound');
}
