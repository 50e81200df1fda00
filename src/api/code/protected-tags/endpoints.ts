import { NO_ONE } from '#authorization/protected-branches/access-level-descriptions.ts';
import { findTagRule, listTagRules } from '#authorization/protected-tags.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { paginateInMemory } from '#http/lists/in-memory-page.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, refName } from '#http/parameters/texts.ts';
import { arrayOf, integer, integerIn } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { createTagRule } from './create.ts';
import { ProtectedTag } from './entities.ts';
import { deleteTagRule } from './store.ts';

/** Protected tags (contract/everyday.md §5). */

/** Loads the rule with exactly this name, which may contain wildcards. */
const ruleResource = {
  name: 'rule',
  params: { name: required(refName) },
  load: (
    { db, params }: AccessCall<{ readonly name: string }>,
    { project }: { readonly project: { readonly id: number } },
  ) => findTagRule(db, project.id, params.name),
  notFound: genericNotFound,
} as const;

const accessLevel = integerIn([NO_ONE, DEVELOPER, MAINTAINER, INSTANCE_ADMIN]);
const allowedToCreate = object({
  access_level: optional(accessLevel),
  user_id: optional(integer),
  group_id: optional(integer),
  deploy_key_id: optional(integer),
});

export const listProtectedTags = endpoint({
  get: '/projects/:id/protected_tags',
  summary: 'List protected tags',
  access: inProject('admin_protected_tag'),
  response: page(ProtectedTag),
  read: async (db, { project, page }) => paginateInMemory(await listTagRules(db, project.id), page),
});

export const getProtectedTag = endpoint({
  get: '/projects/:id/protected_tags/:name',
  summary: 'Get a protected tag',
  access: inProject('admin_protected_tag').resource(ruleResource),
  response: ok(ProtectedTag),
  read: (_db, { rule }) => rule,
});

export const createProtectedTag = endpoint({
  post: '/projects/:id/protected_tags',
  summary: 'Create a protected tag or wildcard rule',
  access: inProject('admin_protected_tag'),
  params: {
    name: required(domainValidatedText(1024)),
    create_access_level: optional(accessLevel),
    allowed_to_create: optional(arrayOf(allowedToCreate), []),
  },
  errors: { invalid: [422, { message: '{texts}' }] },
  uniqueErrors: { protected_tags_by_name: fail('invalid', { texts: ['Name has already been taken'] }) },
  response: created(ProtectedTag),
  write: (uow, { project, params }) => createTagRule(uow, project, params),
});

export const deleteProtectedTag = endpoint({
  delete: '/projects/:id/protected_tags/:name',
  summary: 'Delete a protected tag',
  access: inProject('admin_protected_tag').resource(ruleResource),
  lastModified: ({ rule }) => rule.updated_at,
  response: noContent,
  write: (uow, { rule }) => deleteTagRule(uow, rule.id),
});
