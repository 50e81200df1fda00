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

/** Returns the access levels that name a role. Levels for users, groups and deploy keys cannot be mapped. */
const toRoles = (levelList: readonly Level[]) =>
  levelList.flatMap(({ access_level, ...others }) => {
    const isRole = Object.values(others).every((one) => one == null);
    return isRole && access_level != null ? [access_level] : [];
  });

/** Protected branches; they replace the default rule of the new project. */
export const protectedBranches = relation({
  name: 'protected_branches',
  kind: 'protected_branch',
  inStats: true,
  list: { project: (source) => `/projects/${source.id}/protected_branches` },
  before: (uow, { destination }) => deleteRules(uow, destination.project!),
  fields: {
    id: required(integer),
    name: required(refName),
    push_access_levels: levels,
    merge_access_levels: levels,
    unprotect_access_levels: levels,
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
