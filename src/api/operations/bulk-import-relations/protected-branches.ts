import { deleteRules, importRule } from '#api/code/protected-branches/index.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { arrayOf, boolean, integer } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation } from './relation.ts';

const optionalInteger = optional(integer);
const accessLevels = optional(
  arrayOf(
    object({
      access_level: optionalInteger,
      user_id: optionalInteger,
      group_id: optionalInteger,
      deploy_key_id: optionalInteger,
      member_role_id: optionalInteger,
    }),
  ),
  [],
);

type AccessLevel = Readonly<
  Record<'access_level' | 'user_id' | 'group_id' | 'deploy_key_id' | 'member_role_id', number | null | undefined>
>;

/** Returns the roles among the access levels. Access levels of users, groups, deploy keys and member roles cannot be mapped. */
const toRoles = (levels: readonly AccessLevel[]) =>
  levels.flatMap(({ access_level, ...principalIds }) => {
    const isRole = Object.values(principalIds).every((id) => id == null);
    return isRole && access_level != null ? [access_level] : [];
  });

/** Protected branches. They replace the default rule of the new project. */
export const protectedBranches = declareRelation({
  name: 'protected_branches',
  kind: 'protected_branch',
  isInStats: true,
  list: { project: (source) => `/projects/${source.id}/protected_branches` },
  before: (uow, { destination }) => deleteRules(uow, destination.project!),
  fields: {
    id: required(integer),
    name: required(refName),
    push_access_levels: accessLevels,
    merge_access_levels: accessLevels,
    unprotect_access_levels: accessLevels,
    allow_force_push: optional(boolean, false),
  },
  async store(uow, { destination }, { name, allow_force_push, ...branchLevels }) {
    const roles = {
      push: toRoles(branchLevels.push_access_levels),
      merge: toRoles(branchLevels.merge_access_levels),
      unprotect: toRoles(branchLevels.unprotect_access_levels),
    };
    const result = await importRule(uow, destination.project!, { name, allow_force_push, roles });
    return isFailure(result) ? result : result.id;
  },
});
