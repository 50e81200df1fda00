import { deleteRules, importRule } from '#api/code/protected-branches/index.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { arrayOf, boolean, integer } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { relation } from './relation.ts';

const id = optional(integer);
const levels = optional(
  arrayOf(object({ access_level: id, user_id: id, group_id: id, deploy_key_id: id, member_role_id: id })),
  [],
);

type Level = Readonly<
  Record<'access_level' | 'user_id' | 'group_id' | 'deploy_key_id' | 'member_role_id', number | null | undefined>
>;

/** Of what admits somebody else than a role nobody knows here whom it means. */
const rolesOf = (told: readonly Level[]) =>
  told.flatMap(({ access_level, ...others }) => {
    const isRole = Object.values(others).every((one) => one == null);
    return isRole && access_level != null ? [access_level] : [];
  });

/** Rules about branches, in place of what the default branch has got by itself. */
export const protectedBranches = relation({
  name: 'protected_branches',
  kind: 'protected_branch',
  counted: true,
  list: { project: (source) => `/projects/${source.id}/protected_branches` },
  before: (uow, { place }) => deleteRules(uow, place.project!),
  fields: {
    id: required(integer),
    name: required(refName),
    push_access_levels: levels,
    merge_access_levels: levels,
    unprotect_access_levels: levels,
    allow_force_push: optional(boolean, false),
  },
  async store(uow, { place }, { name, allow_force_push, ...told }) {
    const roles = {
      push: rolesOf(told.push_access_levels),
      merge: rolesOf(told.merge_access_levels),
      unprotect: rolesOf(told.unprotect_access_levels),
    };
    const made = await importRule(uow, place.project!, { name, allow_force_push, roles });
    return isFailure(made) ? made : made.id;
  },
});
