import { Type } from 'typebox';
import { loadBranchAccessDescriber, NO_ONE } from '#authorization/access-level-descriptions.ts';
import { findTagRule, listTagRules, type TagRule } from '#authorization/protected-tags.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { MAX_REF_NAME_BYTES } from '#git/refs/refs.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { created, noContent, nullable, objectSchema, ok, page } from '#http/endpoint/responses.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { paginateInMemory } from '#http/lists/pagination.ts';
import { describe, object, optional, type ParameterValues, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, refName } from '#http/parameters/texts.ts';
import { arrayOf, integer, integerIn } from '#http/parameters/types.ts';
import { type Failure, fail, requireRow } from '#runtime/failure.ts';
import { findMemberIds } from '../protected-branches/index.ts';
import { type CreateLevelInput, deleteTagRule, insertTagRule } from './store.ts';

const CreateAccessLevel = objectSchema('TagCreateAccessLevel', {
  id: Type.Integer(),
  access_level: Type.Integer(),
  access_level_description: Type.String(),
  deploy_key_id: Type.Null(),
  user_id: nullable(Type.Integer()),
  group_id: Type.Null(),
});

/** Loads the names of the users in these rules. Returns a function that describes an entry. */
const loadDescriber = (rules: readonly TagRule[], { db }: SerializationContext) =>
  loadBranchAccessDescriber(
    db,
    rules.map(({ create }) => ({ push: create, merge: [], unprotect: [] })),
  );

/** A protected tag or wildcard rule (contract/everyday.md §5). */
const ProtectedTag = entity('ProtectedTag', {
  name: Type.String(),
  create_access_levels: Type.Array(CreateAccessLevel),
}).from(loadDescriber, ({ name, create }: TagRule, _context, describe) => ({
  name,
  create_access_levels: create.map((entry) => ({
    id: entry.id,
    access_level: entry.access_level,
    access_level_description: describe(entry),
    deploy_key_id: null,
    user_id: entry.user_id,
    group_id: null,
  })),
}));

/** Resource: the rule with exactly the name in the path, which may contain wildcards. */
const ruleResource = {
  name: 'rule',
  params: { name: describe(required(refName), 'Exact name or pattern of the rule.') },
  load: (
    { db, params }: AccessCall<{ readonly name: string }>,
    { project }: { readonly project: { readonly id: number } },
  ) => findTagRule(db, project.id, params.name),
  notFound: genericNotFound,
} as const;

const accessLevel = integerIn([NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN]);
const allowedToCreate = object({
  access_level: optional(accessLevel),
  user_id: describe(optional(integer), 'Id of a member of the project.'),
  group_id: describe(optional(integer), 'Rejected, because projects cannot be shared with groups.'),
  deploy_key_id: describe(optional(integer), 'Rejected, because deploy keys are not supported.'),
});

const createParams = {
  name: describe(required(domainValidatedText(1024)), 'Name of a tag, or a pattern in which `*` is any text.'),
  create_access_level: describe(optional(accessLevel), 'Lowest role that may create the tag; 0 admits nobody.'),
  allowed_to_create: describe(optional(arrayOf(allowedToCreate), []), 'Roles and users who may create the tag.'),
};

export const listProtectedTags = endpoint({
  get: '/projects/:id/protected_tags',
  summary: 'List protected tags',
  description:
    'Returns the protection rules of the project for tags, in the order of their creation. A rule names a tag or ' +
    'contains `*` as a wildcard.',
  access: inProject('admin_protected_tag'),
  response: page(ProtectedTag),
  read: async (db, { project, page }) => paginateInMemory(await listTagRules(db, project.id), page),
});

export const getProtectedTag = endpoint({
  get: '/projects/:id/protected_tags/:name',
  summary: 'Get a protected tag',
  description:
    'Returns the rule with exactly this name. A wildcard rule is found by its pattern, not by the name of a tag that ' +
    'it matches.',
  access: inProject('admin_protected_tag').resource(ruleResource),
  response: ok(ProtectedTag),
  read: (_db, { rule }) => rule,
});

export const createProtectedTag = endpoint({
  post: '/projects/:id/protected_tags',
  summary: 'Create a protected tag or wildcard rule',
  description:
    'Creates a rule for a tag, or for all tags that match a wildcard. Only the admitted roles and users can create ' +
    'such tags, and nobody can move them. Without roles and without entries, Maintainers are admitted.',
  access: inProject('admin_protected_tag'),
  params: createParams,
  errors: { invalid: [422, { message: '{texts}' }] },
  uniqueErrors: { protected_tags_by_name: fail('invalid', { texts: ['Name has already been taken'] }) },
  response: created(ProtectedTag),
  write: (uow, { project, params }) => createTagRule(uow, project, params),
});

export const deleteProtectedTag = endpoint({
  delete: '/projects/:id/protected_tags/:name',
  summary: 'Delete a protected tag',
  description: 'Deletes the rule; existing tags stay.',
  access: inProject('admin_protected_tag').resource(ruleResource),
  lastModified: ({ rule }) => rule.updated_at,
  response: noContent,
  write: (uow, { rule }) => deleteTagRule(uow, rule.id),
});

type CreateTagRuleInput = ParameterValues<typeof createParams>;
/** An element of `allowed_to_create`. */
type AllowedToCreate = CreateTagRuleInput['allowed_to_create'][number];

/** Creates a rule. Without entries it admits Maintainers. */
async function createTagRule(
  uow: UnitOfWork,
  project: Project,
  { name, create_access_level, allowed_to_create: allowed }: CreateTagRuleInput,
): Promise<TagRule | Failure<'invalid'>> {
  const role = create_access_level ?? (allowed.length === 0 ? MAINTAINER : null);
  const levels = [...(role === null ? [] : [{ access_level: role, user_id: null }]), ...allowed.map(toLevel)];
  const texts = [...validateName(name), ...(await validateAllowed(uow, project, allowed))];
  if (texts.length > 0) return fail('invalid', { texts });
  const distinctLevels = new Map(levels.map((level) => [`${level.access_level} ${level.user_id}`, level]));
  await insertTagRule(uow, project.id, name, [...distinctLevels.values()]);
  return requireRow(await findTagRule(uow, project.id, name));
}

/** Converts an element to a row. The column of the role cannot be null, so the entry of a user has one without meaning. */
function toLevel({ access_level, user_id }: AllowedToCreate): CreateLevelInput {
  return user_id == null
    ? { access_level: access_level ?? MAINTAINER, user_id: null }
    : { access_level: MAINTAINER, user_id };
}

function validateName(name: string): string[] {
  if (name.trim() === '') return ["Name can't be blank"];
  return Buffer.byteLength(name) > MAX_REF_NAME_BYTES
    ? [`Name is too long (maximum is ${MAX_REF_NAME_BYTES} bytes)`]
    : [];
}

/** Returns errors of users who are not members of the project, and of groups and deploy keys, which projects cannot have. */
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
