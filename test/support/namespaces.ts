import assert from 'node:assert/strict';
import { DEVELOPER, GUEST, MAINTAINER, OWNER, PLANNER, REPORTER } from '#domain/members/roles.ts';
import type { Caller, TestResponse } from './caller.ts';
import { type Commits, commitsTo } from './git-commits.ts';
import type { World } from './world.ts';

// Creates groups, projects and runners through the API; a test states only the attributes that it needs.

export const ROLES = {
  guest: GUEST,
  planner: PLANNER,
  reporter: REPORTER,
  developer: DEVELOPER,
  maintainer: MAINTAINER,
  owner: OWNER,
} as const;

export type Role = keyof typeof ROLES;
/** The roles of members that are created together with a group or project. */
export type NonOwnerRole = Exclude<Role, 'owner'>;

/** Options of a new group or project. All other keys are attributes of the API. */
export interface NewParentOptions<With extends NonOwnerRole = never> {
  /** The user who creates it; by default the owner of the parent group, or a new user. */
  readonly owner?: Caller;
  /** The parent group. Without it a project is in its owner's namespace and a group is a root group. */
  readonly in?: { readonly id: number; readonly owner?: Caller } | undefined;
  /** Roles: one new member is created for each; the result has them as properties by role. */
  readonly with?: readonly With[];
  readonly [attribute: string]: unknown;
}

export interface NewProjectOptions<With extends NonOwnerRole = never> extends NewParentOptions<With> {
  /** Creates a first commit with a README.md. */
  readonly readme?: boolean;
}

interface TestParent {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly web_url: string;
  readonly visibility: string;
  readonly created_at: string;
  /** The path that requests begin with, `/projects/7`. */
  readonly at: string;
  readonly owner: Caller;
  /** Adds a member, by default a new user, and returns them. */
  addMember(role: Role, who?: Caller, more?: { readonly expires_at?: string }): Promise<Caller>;
}

export interface Group extends TestParent {
  readonly full_path: string;
  readonly full_name: string;
  readonly parent_id: number | null;
}

export interface Project extends TestParent, Commits {
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

/** Options of a new runner. All other keys are attributes of the API. */
export interface NewRunnerOptions {
  /** The group or project of the runner, whose owner creates it. Without it the administrator creates an instance runner. */
  readonly in?: { readonly id: number; readonly at: string; readonly owner: Caller };
  readonly [attribute: string]: unknown;
}

export interface Runner {
  readonly id: number;
  /** The runner authentication token. */
  readonly token: string;
  /** The path that requests begin with, `/runners/7`. */
  readonly at: string;
}

type MembersByRole<With extends NonOwnerRole> = Readonly<Record<With, Caller>>;

/** Creates groups, projects and runners on demand. */
export interface FixtureFactory {
  newGroup<const With extends NonOwnerRole = never>(
    options?: NewParentOptions<With>,
  ): Promise<Group & MembersByRole<With>>;
  newProject<const With extends NonOwnerRole = never>(
    options?: NewProjectOptions<With>,
  ): Promise<Project & MembersByRole<With>>;
  /** Creates an instance runner, or a runner of the group or project in `in`. */
  newRunner(options?: NewRunnerOptions): Promise<Runner>;
}

export function createFixtureFactory({
  user,
  name,
  server,
  root,
}: Pick<World, 'user' | 'name' | 'server' | 'root'>): FixtureFactory {
  /** Creates the group or project and its members; returns the response body with their callers. */
  async function made(
    kind: 'group' | 'project',
    attributes: Readonly<Record<string, unknown>>,
    { owner: maker, in: parent, with: roles }: NewParentOptions<NonOwnerRole>,
  ) {
    const owner = maker ?? parent?.owner ?? (await user());
    const { body } = await expectSuccess(owner.post(`/${kind}s`, attributes));
    const at = `/${kind}s/${body.id}`;
    const addMember: TestParent['addMember'] = async (role, who, more) => {
      const member = who ?? (await user());
      await expectSuccess(owner.post(`${at}/members`, { user_id: member.id, access_level: ROLES[role], ...more }));
      return member;
    };
    const people: Record<string, Caller> = {};
    for (const role of roles ?? []) people[role] = await addMember(role);
    return { ...body, at, owner, addMember, ...people };
  }
  return {
    newGroup(options = {}) {
      const { owner, in: parent, with: roles, ...attributes } = options;
      const path = name('group');
      return made('group', { name: `Name of ${path}`, path, parent_id: parent?.id, ...attributes }, options);
    },
    async newProject(options = {}) {
      const { owner, in: parent, with: roles, readme: initialize_with_readme, ...attributes } = options;
      const own = { name: name('project'), namespace_id: parent?.id, initialize_with_readme };
      const project = await made('project', { ...own, ...attributes }, options);
      return { ...project, repository: `${project.at}/repository`, ...commitsTo(server, project) };
    },
    async newRunner({ in: place, ...attributes } = {}) {
      const { body } = await expectSuccess(
        (place?.owner ?? root).post('/user/runners', { ...runnerScope(place), ...attributes }),
      );
      return { id: body.id, token: body.token, at: `/runners/${body.id}` };
    },
  };
}

function runnerScope(place: NewRunnerOptions['in']) {
  if (place === undefined) return { runner_type: 'instance_type' };
  return place.at.startsWith('/groups/')
    ? { runner_type: 'group_type', group_id: place.id }
    : { runner_type: 'project_type', project_id: place.id };
}

/** Awaits a request that prepares the test and asserts that it succeeded. */
export async function expectSuccess(asked: Promise<TestResponse>): Promise<TestResponse> {
  const answer = await asked;
  assert.ok(answer.status < 300, `a request that prepares the test failed with ${answer.status}: ${answer.text}`);
  return answer;
}
