import { importGroup } from '#api/namespaces/groups/index.ts';
import { required } from '#http/parameters/declarations.ts';
import { description, title } from '#http/parameters/texts.ts';
import { boolean, integerIn, oneOf } from '#http/parameters/types.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { lenient } from './lenient-type.ts';
import { creation } from './relation.ts';

/** The group itself. */
export const group = creation({
  name: 'group',
  fields: {
    name: required(title),
    visibility: required(oneOf('private', 'internal', 'public')),
    description: lenient(description),
    lfs_enabled: lenient(boolean),
    emails_enabled: lenient(boolean),
    emails_disabled: lenient(boolean),
    mentions_disabled: lenient(boolean),
    share_with_group_lock: lenient(boolean),
    request_access_enabled: lenient(boolean),
    require_two_factor_authentication: lenient(boolean),
    two_factor_grace_period: lenient(integerIn({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    project_creation_level: lenient(oneOf('noone', 'administrator', 'owner', 'maintainer', 'developer')),
    subgroup_creation_level: lenient(oneOf('owner', 'maintainer')),
  },
  async create(uow, { parent, slug, storages }, attributes) {
    const result = await importGroup(uow, parent, { ...attributes, path: slug.toLowerCase() }, storages);
    // The failure record needs one text.
    return isFailure(result) ? fail('failed', { message: result.values.errors ?? result.code }) : result.id;
  },
});
