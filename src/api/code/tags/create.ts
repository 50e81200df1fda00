import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { writeTag } from '#git/commits/annotated-tag.ts';
import { TAGS } from '#git/ref-names.ts';
import { looksLikeObjectId, resolveRef, validTagName, zeroId } from '#git/refs/refs.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { toCreateTag } from '#repositories/ref-updates/ref-permissions.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { TagRow } from './entities.ts';
import { tagAt } from './get.ts';

type CreateFailure = 'nameInvalid' | 'exists' | 'targetInvalid' | 'isDefaultBranch' | 'looksLikeSha' | 'readOnly';

interface NewTag {
  readonly name: string;
  readonly ref: string;
  /** Not blank: an annotated tag. */
  readonly message?: string | null | undefined;
}

/** A tag at the commit that `ref` names. */
export async function createTagAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  wish: NewTag,
): Promise<TagRow | Failure<CreateFailure>> {
  const { name, ref } = wish;
  if (ref.trim() === '' || !validTagName(name)) return fail('nameInvalid');
  if (looksLikeObjectId(name)) return fail('looksLikeSha');
  if (name === project.default_branch) return fail('isDefaultBranch');
  const { git } = services;
  const repository = repositoryOf(git, project);
  if ((await resolveRef(repository, TAGS + name)) !== null) return fail('exists', { name });
  const commit = await resolveRevision(git, repository, ref);
  if (commit === null) return fail('targetInvalid', { ref });
  if (project.read_only) return fail('readOnly');
  const target = wish.message?.trim() ? await annotate(services, caller, project, { ...wish, commit }) : commit;
  const change = { ref: TAGS + name, oldId: zeroId, newId: target };
  const moved = await moveRefs(services, { project, by: { caller, may: toCreateTag(name) }, changes: [change] });
  if (!isFailure(moved)) return tagAt(git, project, name, target);
  if (moved.code === 'readOnly' || moved.code === 'isDefaultBranch') return fail(moved.code);
  return moved.code === 'moved' ? fail('exists', { name }) : fail('nameInvalid');
}

/** The id of the tag's own object. */
async function annotate(
  { git }: Pick<RefServices, 'git'>,
  { user }: SignedInCaller,
  project: Project,
  { name, message, commit }: NewTag & { readonly commit: string },
): Promise<string> {
  const tagger = { name: user.name, email: user.email };
  const tag = { name, targetId: commit, targetType: 'commit' as const, tagger, message: message ?? '' };
  return writeTag(git, repositoryOf(git, project), tag);
}
