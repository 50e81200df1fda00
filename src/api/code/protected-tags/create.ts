import { findTagRule, type TagRule } from '#authorization/protected-tags.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { MAX_REF_NAME_BYTES } from '#git/refs/refs.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findMemberIds } from '../protected-branches/index.ts';
import { type CreateLevelInput, insertTagRule } from './store.ts';

/** An element of `allowed_to_create`. */
export interface AllowedToCreate {
  readonly access_level?: number | null | undefined;
  readonly user_id?: number | null | undefined;
  readonly group_id?: number | null | undefined;
  readonly deploy_key_id?: number | null | undefined;
}

interface CreateTagRuleInput {
  readonly name: string;
  readonly create_access_level: number | null | undefined;
  readonly allowed_to_create: readonly AllowedToCreate[];
}

/** Creates a rule. Without entries it admits Maintainers. */
export async function createTagRule(
  uow: UnitOfWork,
  project: Project,
  { name, create_access_level, allowed_to_create: allowed }: CreateTagRuleInput,
): Promise<TagRule | Failure<'invalid'>> {
  const role = create_access_level ?? (allowed.length === 0 ? MAINTAINER : null);
  const levels = [...(role === null ? [] : [{ access_level: role, user_id: null }]), ...allowed.map(toLevel)];
  const texts = [...validateName(name), ...(await validateAllowed(uow, project, allowed))];
  if (texts.length > 0) return fail('invalid', { texts });
  await insertTagRule(uow, project.id, name, removeDuplicates(levels));
  return requireRow((await findTagRule(uow, project.id, name)) ?? undefined);
}

/** Converts an element to a row. The entry of a user needs a level too; it does not restrict the user. */
function toLevel({ access_level, user_id }: AllowedToCreate): CreateLevelInput {
  return user_id == null
    ? { access_level: access_level ?? MAINTAINER, user_id: null }
    : { access_level: MAINTAINER, user_id };
}

function removeDuplicates(levels: readonly CreateLevelInput[]): CreateLevelInput[] {
  return [...new Map(levels.map((level) => [`${level.access_level} ${level.user_id}`, level])).values()];
}

function validateName(name: string): string[] {
  if (name.trim() === '') return ["Name can't be blank"];
  return Buffer.byteLength(name) > MAX_REF_NAME_BYTES
    ? [`Name is too long (maximum is ${MAX_REF_NAME_BYTES} bytes)`]
    : [];
}

/** Users must be members of the project; projects have no groups that they are shared with, and no deploy keys. */
async function validateAllowed(
  uow: UnitOfWork,
  project: Project,
  allowed: readonly AllowedToCreate[],
): Promise<string[]> {
  const userIds = allowed.flatMap(({ user_id }) => user_id ?? []);
  const memberIds = await findMemberIds(uow, project, userIds);
  const texts = allowed.flatMap(({ user_id, group_id, deploy_key_id }) => {
    if (user_id != null && (uow.tier === 'free' || !memberIds.has(user_id)))
      return 'user is not a member of the project';
    if (user_id == null && group_id != null) return 'group does not have access to the project';
    return deploy_key_id == null ? [] : 'deploy key is not enabled for this project';
  });
  return [...new Set(texts)].map((text) => `Create access levels ${text}`);
}
