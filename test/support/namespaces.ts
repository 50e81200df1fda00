import assert from 'node:assert/strict';
import { DEVELOPER, GUEST, MAINTAINER, OWNER, PLANNER, REPORTER } from '#domain/members/roles.ts';
import type { Answer, Caller } from './caller.ts';
import { type Commits, commitsTo } from './git-commits.ts';
import type { World } from './world.ts';

// The groups and projects of a test, made through the API: a test names only what matters to it.

export const ROLES = {
  guest: GUEST,
  planner: PLANNER,
  reporter: REPORTER,
  developer: DEVELOPER,
  maintainer: MAINTAINER,
  owner: OWNER,
} as const;

export type Role = keyof typeof ROLES;
/** Who comes along with a new place, beside its owner. */
export type Companion = Exclude<Role, 'owner'>;

/** What a new place differs in. Everything else that is said is an attribute by the API's name for it. */
export interface Wish<With extends Companion = never> {
  /** Who makes it: otherwise the owner of what it is in, or a new user. */
  readonly owner?: Caller;
  /** The group that it is in: otherwise a project is its owner's own, a group stands at the top. */
  readonly in?: { readonly id: number; readonly owner?: Caller };
  /** New users who are members of it: the place has each by the name of his role. */
  readonly with?: readonly With[];
  readonly [attribute: string]: unknown;
}

export interface ProjectWish<With extends Companion = never> extends Wish<With> {
  /** With a first commit that has a README.md. */
  readonly readme?: boolean;
}

interface Place {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly web_url: string;
  readonly visibility: string;
  readonly created_at: string;
  /** The path that requests begin with, `/projects/7`. */
  readonly at: string;
  readonly owner: Caller;
  /** The owner makes somebody a member, a new user unless one is named; gives him back. */
  add(role: Role, who?: Caller, more?: { readonly expires_at?: string }): Promise<Caller>;
}

export interface Group extends Place {
  readonly full_path: string;
  readonly full_name: string;
  readonly parent_id: number | null;
}

export interface Project extends Place, Commits {
  readonly path_with_namespace: string;
  readonly name_with_namespace: string;
  readonly namespace: { readonly id: number; readonly full_path: string };
  readonly creator_id: number;
  readonly default_branch: string | null;
  readonly empty_repo: boolean;
  readonly readme_url: string | null;
  readonly updated_at: string;
  readonly last_activity_at: string;
  /** `/projects/7/repository` */
  readonly repository: string;
}

/** What a new runner is for; every other attribute is one of the API, by its name. */
export interface RunnerWish {
  /** Where it is the owner's to make; the administrator makes those of the instance. */
  readonly in?: { readonly id: number; readonly at: string; readonly owner: Caller };
  readonly [attribute: string]: unknown;
}

export interface Runner {
  readonly id: number;
  /** With which it proves itself. */
  readonly token: string;
  /** The path that requests begin with, `/runners/7`. */
  readonly at: string;
}

type People<With extends Companion> = Readonly<Record<With, Caller>>;

/** What a world makes on demand. */
export interface Makers {
  newGroup<const With extends Companion = never>(wish?: Wish<With>): Promise<Group & People<With>>;
  newProject<const With extends Companion = never>(wish?: ProjectWish<With>): Promise<Project & People<With>>;
  /** Of the instance, unless it is in a group or project. */
  newRunner(wish?: RunnerWish): Promise<Runner>;
}

export function makersOf({ user, name, server, root }: Pick<World, 'user' | 'name' | 'server' | 'root'>): Makers {
  /** The answer to its making, with people who speak. */
  async function made(
    kind: 'group' | 'project',
    attributes: Readonly<Record<string, unknown>>,
    { owner: maker, in: parent, with: roles }: Wish<Companion>,
  ) {
    const owner = maker ?? parent?.owner ?? (await user());
    const { body } = await done(owner.post(`/${kind}s`, attributes));
    const at = `/${kind}s/${body.id}`;
    const add: Place['add'] = async (role, who, more) => {
      const member = who ?? (await user());
      await done(owner.post(`${at}/members`, { user_id: member.id, access_level: ROLES[role], ...more }));
      return member;
    };
    const people: Record<string, Caller> = {};
    for (const role of roles ?? []) people[role] = await add(role);
    return { ...body, at, owner, add, ...people };
  }
  return {
    newGroup(wish = {}) {
      const { owner, in: parent, with: roles, ...attributes } = wish;
      const path = name('group');
      return made('group', { name: `Name of ${path}`, path, parent_id: parent?.id, ...attributes }, wish);
    },
    async newProject(wish = {}) {
      const { owner, in: parent, with: roles, readme: initialize_with_readme, ...attributes } = wish;
      const own = { name: name('project'), namespace_id: parent?.id, initialize_with_readme };
      const project = await made('project', { ...own, ...attributes }, wish);
      return { ...project, repository: `${project.at}/repository`, ...commitsTo(server, project) };
    },
    async newRunner({ in: place, ...attributes } = {}) {
      const { body } = await done((place?.owner ?? root).post('/user/runners', { ...runnerOf(place), ...attributes }));
      return { id: body.id, token: body.token, at: `/runners/${body.id}` };
    },
  };
}

function runnerOf(place: RunnerWish['in']) {
  if (place === undefined) return { runner_type: 'instance_type' };
  return place.at.startsWith('/groups/')
    ? { runner_type: 'group_type', group_id: place.id }
    : { runner_type: 'project_type', project_id: place.id };
}

/** A call that prepares: it must succeed. */
export async function done(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  assert.ok(answer.status < 300, `a preparing call was answered with ${answer.status}: ${answer.text}`);
  return answer;
}
