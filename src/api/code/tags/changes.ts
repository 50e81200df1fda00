import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { writeTag } from '#git/commits/commit.ts';
import { TAGS } from '#git/ref-names.ts';
import { isValidTagName, looksLikeObjectId, resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { createTagPermission, deleteTagPermission } from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { TagRow } from './entities.ts';
import { loadTag } from './list.ts';

type CreateFailure =
  | 'nameInvalid'
  | 'exists'
  | 'targetInvalid'
  | 'isDefaultBranch'
  | 'looksLikeSha'
  | 'isProtected'
  | 'readOnly';

/** The values of a new tag. */
interface CreateTagInput {
  readonly name: string;
  readonly ref: string;
  /** Message of an annotated tag; blank for a lightweight tag. */
  readonly message?: string | null | undefined;
}

/** Creates a tag at the commit that `ref` names. */
export async function createTagAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  input: CreateTagInput,
): Promise<TagRow | Failure<CreateFailure>> {
  const { name, ref } = input;
  if (ref.trim() === '' || !isValidTagName(name)) return fail('nameInvalid');
  if (looksLikeObjectId(name)) return fail('looksLikeSha');
  if (name === project.default_branch) return fail('isDefaultBranch');
  const { git } = services;
  const repository = getRepository(git, project);
  if ((await resolveRef(repository, TAGS + name)) !== null) return fail('exists', { name });
  const commit = await resolveRevision(git, repository, ref);
  if (commit === null) return fail('targetInvalid', { ref });
  if (project.read_only) return fail('readOnly');
  const target = input.message?.trim() ? await writeTagObject(services, caller, project, { ...input, commit }) : commit;
  const change = { ref: TAGS + name, oldId: ZERO_ID, newId: target };
  const moveResult = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: createTagPermission(name) },
    changes: [change],
  });
  if (!isFailure(moveResult)) return loadTag(git, project, name, target);
  const { code } = moveResult;
  if (code === 'readOnly' || code === 'isDefaultBranch' || code === 'isProtected') return fail(code);
  return code === 'moved' ? fail('exists', { name }) : fail('nameInvalid');
}

/** Writes the tag object and returns its id. */
async function writeTagObject(
  { git }: Pick<RefServices, 'git'>,
  { user }: SignedInCaller,
  project: Project,
  { name, message, commit }: CreateTagInput & { readonly commit: string },
): Promise<string> {
  const tagger = { name: user.name, email: user.email };
  const tag = { name, targetId: commit, targetType: 'commit' as const, tagger, message: message ?? '' };
  return writeTag(git, getRepository(git, project), tag);
}

/** Deletes a tag unless its target has changed since it was read. */
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
