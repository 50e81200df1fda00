import type { Git } from '../../../git/git.ts';
import { objectInfo, readCommit, readTag as readTagObject } from '../../../git/objects.ts';
import { resolveRef, zeroId } from '../../../git/refs.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inPublicProject, inRepositoryOf } from '../../../http/access/project-access.ts';
import { created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { notFound } from '../../../http/endpoint/refusal.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { notBlank, oneOf, text } from '../../../http/parameters/types.ts';
import { isRefused, refused } from '../../../refused.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import { type Placed, projectUrl, repositoryOf } from '../../../repositories/repository.ts';
import { createTagAt } from './create.ts';
import { Tag, type TagState, tagEntities } from './entities.ts';
import { listTagStates } from './list.ts';

const READ_ONLY = [400, 'The repository is temporarily read-only. Please try again later.'] as const;

const tag = {
  name: 'tag' as const,
  find: async ({ path, rooms: { git } }: AccessCall, { project }: { project: Placed }) => {
    const name = path.tag_name ?? '';
    const target = await resolveRef(repositoryOf(git, project), `refs/tags/${name}`);
    return target === null ? null : stateOf(git, project, name, target);
  },
  missing: () => notFound('Tag'),
};

async function stateOf(git: Git, project: Placed, name: string, target: string): Promise<TagState> {
  const repository = repositoryOf(git, project);
  const annotation = await readTagObject(git, repository, target);
  const commit = annotation ? await objectInfo(git, repository, `${target}^{commit}`) : { id: target };
  return { name, target, annotation, commit: commit && (await readCommit(git, repository, commit.id)) };
}

export const listTags = endpoint({
  get: '/projects/:id/repository/tags',
  summary: 'List tags',
  access: inPublicProject('read_code'),
  params: {
    order_by: optional(oneOf('name', 'updated', 'version'), 'updated'),
    sort: optional(oneOf('asc', 'desc'), 'desc'),
    search: optional(text),
  },
  remembered: true,
  answer: page(Tag),
  async handle({ git, project, params, page, request }) {
    const found = await listTagStates(git, project, params, page);
    return mapPage(found, (tags) => tagEntities(tags, projectUrl(request, project)));
  },
});

export const readTag = endpoint({
  get: '/projects/:id/repository/tags/:tag_name',
  summary: 'Read a tag',
  access: inPublicProject('read_code').record(tag),
  answer: entity(Tag),
  handle: ({ project, tag, request }) => tagEntities([tag], projectUrl(request, project))[0]!,
});

export const createTag = endpoint({
  post: '/projects/:id/repository/tags',
  summary: 'Create a tag',
  access: inRepositoryOf('push_code'),
  params: { tag_name: required(notBlank(text)), ref: required(notBlank(text)), message: optional(text) },
  refuses: {
    nameInvalid: [400, 'Tag name invalid'],
    exists: [400, 'Tag {name} already exists'],
    targetInvalid: [400, 'Target {ref} is invalid'],
    isDefaultBranch: [400, 'You cannot use default branch name to create a tag'],
    looksLikeSha: [400, 'You cannot create a tag with a SHA-1 or SHA-256 tag name.'],
    readOnly: READ_ONLY,
  },
  records: ['pushed new tag'],
  answer: created(Tag),
  async handle(call) {
    const { git, project, request, params } = call;
    const made = await createTagAt(call, { ...call, ...params, name: params.tag_name });
    if (isRefused(made)) return made;
    const state = await stateOf(git, project, params.tag_name, made.target);
    return tagEntities([state], projectUrl(request, project))[0]!;
  },
});

export const deleteTag = endpoint({
  delete: '/projects/:id/repository/tags/:tag_name',
  summary: 'Delete a tag',
  access: inRepositoryOf('push_code').record(tag),
  conditional: ({ tag }) => tag.commit?.author.date ?? null,
  refuses: { readOnly: READ_ONLY, gone: [404, '404 Tag Not Found'] },
  records: ['deleted tag'],
  answer: nothing,
  async handle(call) {
    const change = { ref: `refs/tags/${call.tag.name}`, oldId: call.tag.target, newId: zeroId };
    const moved = await moveRefs(call, { project: call.project, userId: call.caller.user.id, changes: [change] });
    return isRefused(moved) ? refused(moved.code === 'readOnly' ? 'readOnly' : 'gone') : undefined;
  },
});
