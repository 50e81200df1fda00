import { importGroup } from '#api/namespaces/groups/index.ts';
import { required } from '#http/parameters/declarations.ts';
import { longText, shortText } from '#http/parameters/texts.ts';
import { boolean, integerIn, oneOf } from '#http/parameters/types.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { ignoringInvalid } from './lenient-type.ts';
import { declareDestinationCreation } from './relation.ts';

/** Creates the group itself. */
export const group = declareDestinationCreation({
  name: 'group',
  fields: {
    name: required(shortText),
    visibility: required(oneOf('private', 'internal', 'public')),
    description: ignoringInvalid(longText),
    lfs_enabled: ignoringInvalid(boolean),
    emails_enabled: ignoringInvalid(boolean),
    emails_disabled: ignoringInvalid(boolean),
    mentions_disabled: ignoringInvalid(boolean),
    share_with_group_lock: ignoringInvalid(boolean),
    request_access_enabled: ignoringInvalid(boolean),
    require_two_factor_authentication: ignoringInvalid(boolean),
    two_factor_grace_period: ignoringInvalid(integerIn({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    project_creation_level: ignoringInvalid(oneOf('noone', 'administrator', 'owner', 'maintainer', 'developer')),
    subgroup_creation_level: ignoringInvalid(oneOf('owner', 'maintainer')),
  },
  async create(uow, { parent, slug, storages }, attributes) {
    const result = await importGroup(uow, parent, { ...attributes, path: slug.toLowerCase() }, storages);
    // A failure record has a single message.
    return isFailure(result) ? fail('failed', { message: result.values.errors ?? result.code }) : result.id;
  },
});
