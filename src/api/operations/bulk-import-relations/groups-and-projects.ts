import { importGroup } from '#api/namespaces/groups/index.ts';
import {
  type AttributeName,
  importProject,
  projectAttributeParams,
  validateDefaultBranch,
} from '#api/namespaces/projects/index.ts';
import { optional, type Parameter, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { longText, shortText } from '#http/parameters/texts.ts';
import { boolean, dateTime, integerIn, oneOf } from '#http/parameters/types.ts';
import { fail, invalid, isFailure } from '#runtime/failure.ts';
import { declareDestinationCreation } from './relation.ts';
import { ignoringInvalid } from './shared-fields.ts';

/** Names of the project attributes that are copied. */
const COPIED_ATTRIBUTES: readonly AttributeName[] = [
  'description',
  'topics',
  'default_branch',
  'merge_method',
  'only_allow_merge_if_pipeline_succeeds',
  'only_allow_merge_if_all_discussions_are_resolved',
  ...(Object.keys(projectAttributeParams) as AttributeName[]).filter((name) => name.endsWith('_access_level')),
];

const attributes = Object.fromEntries(
  COPIED_ATTRIBUTES.map((name) => [name, ignoringInvalid(projectAttributeParams[name].type as ParameterType<unknown>)]),
) as {
  readonly [Name in AttributeName]: (typeof projectAttributeParams)[Name] extends Parameter<infer T>
    ? Parameter<T, 'optional'>
    : never;
};

/** Creates the project itself. Its repository is the next relation. */
export const project = declareDestinationCreation({
  name: 'project',
  fields: {
    ...attributes,
    name: required(shortText),
    visibility: required(oneOf('private', 'internal', 'public')),
    archived: optional(boolean, false),
    created_at: required(dateTime),
  },
  async create(uow, { parent, slug, storages }, { name, visibility, archived, created_at, ...attributeValues }) {
    if (parent === null) return invalid({ namespace: ['is not valid'] });
    const { default_branch: defaultBranch } = attributeValues;
    const hasValidBranch = validateDefaultBranch(defaultBranch).default_branch?.length === 0;
    const values = { ...attributeValues, default_branch: hasValidBranch ? defaultBranch : null };
    const importedState = { archived, created_at };
    const result = await importProject(
      uow,
      parent,
      { path: slug.toLowerCase(), name, visibility, values, importedState },
      storages,
    );
    return isFailure(result) ? result : result.id;
  },
});

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
