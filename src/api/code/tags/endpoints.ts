import { TAG_CREATION_FORBIDDEN, TAG_DELETION_FORBIDDEN } from '#authorization/protected-tags.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProjectAllowingAnonymous, inProjectRepository } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { commitMessage, refName } from '#http/parameters/texts.ts';
import { createTagAt, deleteTagAt } from './changes.ts';
import { Tag, type TagRow } from './entities.ts';
import { findTag, listTagsParams, loadTagPage } from './list.ts';

/** Loads the tag of the path. */
const tagResource = {
  name: 'tag',
  params: { tag_name: required(refName) },
  load: (
    { params, services: { git } }: AccessCall<{ readonly tag_name: string }>,
    { project }: Pick<TagRow, 'project'>,
  ) => findTag(git, project, params.tag_name),
  notFound: () => notFound('Tag'),
} as const;

export const listTags = endpoint({
  get: '/projects/:id/repository/tags',
  summary: 'List tags',
  description:
    'Returns the tags, the most recently created or committed first by default. With `search`, a tag whose whole ' +
    'name is the term comes first.',
  access: inProjectAllowingAnonymous('read_code'),
  params: listTagsParams,
  errors: { tokenInvalid: [400, { error: 'page_token is invalid' }] },
  response: page(Tag),
  read: (_db, { project, params, page }, git) => loadTagPage(git, project, params, page),
});

export const getTag = endpoint({
  get: '/projects/:id/repository/tags/:tag_name',
  summary: 'Get a tag',
  description:
    'Returns the tag with the commit that it points to. `message` and `created_at` are those of an annotated tag; a ' +
    'lightweight tag has neither.',
  access: inProjectAllowingAnonymous('read_code').resource(tagResource),
  response: ok(Tag),
  read: (_db, { tag }) => tag,
});

export const createTag = endpoint({
  post: '/projects/:id/repository/tags',
  summary: 'Create a tag',
  description:
    'Creates a tag at the commit that `ref` names: an annotated tag with `message`, otherwise a lightweight one. If ' +
    'a protection rule matches the name, it must admit the caller. A push event is recorded.',
  access: inProjectRepository('push_code'),
  params: {
    tag_name: required(refName),
    ref: describe(required(refName), 'Branch, tag or commit that the tag names.'),
    message: describe(optional(commitMessage), 'Message of an annotated tag; absent or blank: a lightweight tag.'),
  },
  errors: {
    nameInvalid: [400, 'Tag name invalid'],
    exists: [400, 'Tag {name} already exists'],
    targetInvalid: [400, 'Target {ref} is invalid'],
    isDefaultBranch: [400, 'You cannot use default branch name to create a tag'],
    looksLikeSha: [400, 'You cannot create a tag with a SHA-1 or SHA-256 tag name.'],
    isProtected: [400, TAG_CREATION_FORBIDDEN],
    readOnly: REPOSITORY_READ_ONLY,
  },
  activity: ['pushed new tag'],
  response: created(Tag),
  handle: ({ project, caller, params: { tag_name: name, ref, message } }, services) =>
    createTagAt(services, caller, project, { name, ref, message }),
});

export const deleteTag = endpoint({
  delete: '/projects/:id/repository/tags/:tag_name',
  summary: 'Delete a tag',
  description: 'Deletes the tag; protected tags can only be deleted by Maintainers. A push event is recorded.',
  access: inProjectRepository('push_code').resource(tagResource),
  lastModified: ({ tag }) => tag.commit?.author.date ?? null,
  errors: {
    isProtected: [400, TAG_DELETION_FORBIDDEN],
    readOnly: REPOSITORY_READ_ONLY,
    notFound: [404, '404 Tag Not Found'],
  },
  activity: ['deleted tag'],
  response: noContent,
  handle: ({ project, caller, tag }, services) => deleteTagAt(services, caller, project, tag),
});
