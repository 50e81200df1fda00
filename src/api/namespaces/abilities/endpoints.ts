import { Type } from 'typebox';
import { GROUP_ABILITIES, PROJECT_ABILITIES } from '#authorization/abilities.ts';
import {
  CREATION_ABILITIES,
  listGroupAbilities,
  listProjectAbilities,
  listUserAbilities,
  USER_ABILITIES,
} from '#authorization/held-abilities.ts';
import { mayCreateTopLevelGroup } from '#authorization/namespace-creation.ts';
import { findWiki } from '#domain/wikis.ts';
import { signedIn } from '#http/access/access.ts';
import { inGroupAllowingAnonymous, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok } from '#http/endpoint/responses.ts';
import { mayCreatePersonalProject } from '../projects/index.ts';

// Abilities of the caller, so that clients can hide actions that would be rejected (contract/web.md §3).

/** Returns the type of a list of abilities with these names, so that generated clients know them. */
const abilitiesEntity = <const Name extends string>(name: string, abilities: readonly Name[]) =>
  entity(name, {
    abilities: Type.Array(Type.Enum([...abilities].sort()), { description: 'Names of abilities, sorted.' }),
  });

const ProjectAbilities = abilitiesEntity('ProjectAbilities', PROJECT_ABILITIES);
const GroupAbilities = abilitiesEntity('GroupAbilities', [...GROUP_ABILITIES, ...CREATION_ABILITIES]);
const UserAbilities = abilitiesEntity('UserAbilities', USER_ABILITIES);

export const getProjectAbilities = endpoint({
  get: '/projects/:id/abilities',
  summary: "Get the caller's abilities in a project",
  description:
    'Returns the names of all abilities that the caller has in the project at present. Roles, visibility, disabled ' +
    'features, archived and read-only projects and the tier count; scopes of the token and protection rules of single ' +
    'branches, tags and environments do not.',
  access: inProjectAllowingAnonymous('read_project'),
  response: ok(ProjectAbilities),
  read: (_db, { caller, project, base }) => ({ abilities: listProjectAbilities(caller, project, base.tier) }),
});

export const getGroupAbilities = endpoint({
  get: '/groups/:id/abilities',
  summary: "Get the caller's abilities in a group",
  description:
    'Returns the names of all abilities that the caller has in the group at present, as for projects. ' +
    '`create_project` and `create_subgroup` follow from its `project_creation_level` and `subgroup_creation_level`.',
  access: inGroupAllowingAnonymous('read_group'),
  response: ok(GroupAbilities),
  async read(db, { caller, group, base: { tier } }) {
    const wiki = await findWiki(db, { group });
    return { abilities: listGroupAbilities(caller, { group, wikiReadOnly: wiki?.read_only ?? false, tier }) };
  },
});

export const getUserAbilities = endpoint({
  get: '/user/abilities',
  summary: "Get the caller's abilities on the instance",
  description:
    'Returns the names of the abilities that the caller has outside projects and groups: `admin` for administrators, ' +
    '`create_group` for top-level groups, `create_project` for personal projects, whose number is limited.',
  access: signedIn(),
  scopes: ['read_user'],
  response: ok(UserAbilities),
  async read(db, { caller }) {
    const mayCreateGroup = await mayCreateTopLevelGroup(db, caller);
    const mayCreateProject = await mayCreatePersonalProject(db, caller.user.id);
    return { abilities: listUserAbilities(caller, { mayCreateGroup, mayCreateProject }) };
  },
});
