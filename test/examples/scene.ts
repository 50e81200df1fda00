import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Visibility } from '../../src/access/visibility.ts';
import type { Answer, Caller } from '../caller.ts';
import type { World } from '../world.ts';
import { CALLERS, type CallerName } from './example.ts';

/** Somebody with a role in every group of the scenes, an outsider, an administrator, nobody. */
export type Callers = Readonly<Record<CallerName, Caller>>;

export interface Group {
  readonly id: number;
  readonly path: string;
  readonly full_path: string;
}

export interface Project {
  readonly id: number;
  readonly path: string;
  readonly path_with_namespace: string;
}

/** A group and a project of one visibility, and what examples find or make there. */
export interface Scene {
  readonly visibility: Visibility;
  readonly callers: Callers;
  readonly group: Group;
  /** Directly below the group. */
  readonly subgroup: Group;
  readonly project: Project;
  /** A direct guest of the project, who is nothing else. */
  readonly member: Caller;
  /** Of the project: `main` is protected, `feature` is ahead of it by a commit and is not, the tag `v1.0.0` is behind. */
  readonly repository: {
    readonly main: string;
    readonly feature: string;
    readonly tagged: string;
    /** The id of `README.md` on `main`. */
    readonly blob: string;
    readonly lfs: { readonly oid: string; readonly size: number };
  };
  /** A name that nobody has. */
  name(prefix: string): string;
  user(): Promise<Caller>;
  /** A top-level group with the scene's visibility and members. */
  newGroup(): Promise<Group>;
  newSubgroup(): Promise<Group>;
  /** In the scene's group unless another is named: whoever has a role there has it here. */
  newProject(group?: Group): Promise<Project>;
  /** In the scene's project, where `feature` is. */
  newBranch(from?: string): Promise<string>;
  newTag(): Promise<string>;
  /** On `feature`. */
  newFile(): Promise<string>;
  /** A call that prepares: it must succeed. */
  done(answer: Promise<Answer>): Promise<Answer>;
}

const ROLES = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40 } as const;

export async function createCallers(world: World): Promise<Callers> {
  const named = CALLERS.filter((name) => name !== 'anonymous' && name !== 'administrator');
  const users = await Promise.all(named.map(async (name) => [name, await world.user({ username: name })] as const));
  return {
    ...(Object.fromEntries(users) as Omit<Callers, 'anonymous' | 'administrator'>),
    anonymous: world.anonymous,
    administrator: world.root,
  };
}

export async function createScene(world: World, callers: Callers, visibility: Visibility): Promise<Scene> {
  const makers = makersOf(world, callers, visibility);
  const group = await makers.newGroup();
  const subgroup = await makers.newSubgroupOf(group);
  const project = await makers.newProject(group);
  const member = await world.user();
  await done(callers.owner.post(`/projects/${project.id}/members`, { user_id: member.id, access_level: 10 }));
  return {
    ...makers,
    ...contentsOf(callers.owner, world, project),
    visibility,
    callers,
    group,
    subgroup,
    project,
    member,
    repository: await fillRepository(callers.owner, project),
    newSubgroup: () => makers.newSubgroupOf(group),
    newProject: (where = group) => makers.newProject(where),
    done,
  };
}

function makersOf(world: World, callers: Callers, visibility: Visibility) {
  const name = (prefix: string) => world.name(prefix);
  const { owner } = callers;
  const member = (group: Group, who: keyof typeof ROLES) =>
    done(owner.post(`/groups/${group.id}/members`, { user_id: callers[who].id, access_level: ROLES[who] }));
  return {
    name,
    user: () => world.user(),
    async newGroup(): Promise<Group> {
      const path = name(visibility);
      const group = (await done(owner.post('/groups', { name: path, path, visibility }))).body;
      for (const who of Object.keys(ROLES)) await member(group, who as keyof typeof ROLES);
      return group;
    },
    async newSubgroupOf({ id: parent_id }: Group): Promise<Group> {
      const path = name('subgroup');
      return (await done(owner.post('/groups', { name: path, path, parent_id, visibility }))).body;
    },
    async newProject({ id: namespace_id }: Group): Promise<Project> {
      const params = { name: name('project'), namespace_id, visibility, initialize_with_readme: true };
      return (await done(owner.post('/projects', params))).body;
    },
  };
}

function contentsOf(owner: Caller, { name }: World, { id }: Project) {
  const repository = `/projects/${id}/repository`;
  return {
    async newBranch(from = 'feature'): Promise<string> {
      const branch = name('branch');
      await done(owner.post(`${repository}/branches`, { branch, ref: from }));
      return branch;
    },
    async newTag(): Promise<string> {
      const tag = name('tag');
      await done(owner.post(`${repository}/tags`, { tag_name: tag, ref: 'main' }));
      return tag;
    },
    async newFile(): Promise<string> {
      const file = `docs/${name('file')}.md`;
      const params = { branch: 'feature', content: 'Text\n', commit_message: `Add ${file}` };
      await done(owner.post(`${repository}/files/${encodeURIComponent(file)}`, params));
      return file;
    },
  };
}

async function fillRepository(owner: Caller, { id, path_with_namespace }: Project): Promise<Scene['repository']> {
  const repository = `/projects/${id}/repository`;
  const tip = async (branch: string): Promise<string> =>
    (await done(owner.get(`${repository}/branches/${branch}`))).body.commit.id;
  const commit = (branch: string, file_path: string, more = {}) =>
    done(
      owner.post(`${repository}/commits`, {
        branch,
        commit_message: `Add ${file_path}`,
        actions: [{ action: 'create', file_path, content: 'First line\nSecond line\n' }],
        ...more,
      }),
    );
  await done(owner.post(`${repository}/tags`, { tag_name: 'v1.0.0', ref: 'main', message: 'The first one' }));
  const tagged = await tip('main');
  await commit('main', 'docs/guide.md');
  await commit('feature', 'docs/feature.md', { start_branch: 'main' });
  const tree: { path: string; id: string }[] = (await done(owner.get(`${repository}/tree`))).body;
  return {
    main: await tip('main'),
    feature: await tip('feature'),
    tagged,
    blob: tree.find(({ path }) => path === 'README.md')?.id ?? '',
    lfs: await uploadLfs(owner, path_with_namespace),
  };
}

async function uploadLfs(owner: Caller, path: string) {
  const content = Buffer.from('A large file, as it were\n');
  const oid = createHash('sha256').update(content).digest('hex');
  const sending = { raw: content, headers: basic(owner) };
  await done(owner.send('PUT', `//${path}.git/gitlab-lfs/objects/${oid}/${content.length}`, sending));
  return { oid, size: content.length };
}

/** As git sends credentials: any name, the token as the password. */
export function basic({ username, token }: Caller): Record<string, string> {
  if (token === null) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` };
}

async function done(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  assert.ok(answer.status < 300, `a preparing call was answered with ${answer.status}: ${answer.text}`);
  return answer;
}
