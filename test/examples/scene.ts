import { createHash } from 'node:crypto';
import { createTestIntegration, type TestIntegration } from '#api/monitoring/alerts/fixtures.testing.ts';
import { createMail } from '#api/planning/mail-messages/fixtures.testing.ts';
import { createProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import type { Visibility } from '#authorization/visibility.ts';
import { createUnsubscribeToken } from '#mail/unsubscribe-link.ts';
import type { Server } from '#server.ts';
import { userWithPassword } from '../support/browser.ts';
import type { Caller, TestResponse } from '../support/caller.ts';
import { errorRow, eventRow } from '../support/error-rows.ts';
import { expectSuccess, type Group, type Project, type Runner } from '../support/namespaces.ts';
import {
  archivedJob,
  insertJobRow,
  insertPipelineRow,
  resourceGroupRow,
  runnerRow,
  runningJob,
} from '../support/pipeline-rows.ts';
import { newSite, type TestSite } from '../support/replication-sites.ts';
import type { World } from '../support/world.ts';
import { createZip } from '../support/zip.ts';
import { CALLERS, type CallerName } from './example.ts';

/** Callers: one per role in the scenes' groups, an outsider, an administrator and an anonymous one. */
export type Callers = Readonly<Record<CallerName, Caller>>;

export type { Group, Project };

/** A group and a project of one visibility, with helpers that create data for examples. */
export interface Scene {
  readonly server: Server;
  readonly visibility: Visibility;
  readonly callers: Callers;
  readonly group: Group;
  /** Directly below the group. */
  readonly subgroup: Group;
  readonly project: Project;
  /** A guest member of the project only, not of its group. */
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
  /** Returns an unused name. */
  name(prefix: string): string;
  user(): Promise<Caller>;
  /** Creates a user who can sign in with `PASSWORD`. */
  userWithPassword(): Promise<Caller>;
  /** A top-level group with the scene's visibility and members. */
  newGroup(): Promise<Group>;
  newSubgroup(): Promise<Group>;
  /** Creates a project, by default in the scene's group, whose members inherit their roles. */
  newProject(group?: Group): Promise<Project>;
  /** In the scene's group, with nothing in its repository. */
  newEmptyProject(): Promise<Project>;
  /** In the scene's project, where `feature` is. */
  newBranch(from?: string): Promise<string>;
  newTag(): Promise<string>;
  /** On `feature`. */
  newFile(): Promise<string>;
  /** In the scene's project, by its owner. */
  newIssue(params?: Readonly<Record<string, unknown>>): Promise<{ readonly id: number; readonly iid: number }>;
  /** In the scene's group, by its owner. */
  newEpic(params?: Readonly<Record<string, unknown>>): Promise<{ readonly id: number; readonly iid: number }>;
  /** In the scene's project, of a new branch into `main`, by its owner. */
  newMergeRequest(params?: Readonly<Record<string, unknown>>): Promise<{ readonly id: number; readonly iid: number }>;
  /** In the scene's project unless another place is named, by its owner. */
  newLabel(place?: Group | Project): Promise<{ readonly id: number; readonly name: string }>;
  /** In the scene's project unless another place is named, by its owner. */
  newMilestone(place?: Group | Project, params?: Readonly<Record<string, unknown>>): Promise<{ readonly id: number }>;
  /** In the scene's group, by its owner: a manual cadence. */
  newCadence(): Promise<{ readonly id: number }>;
  /** In a cadence of its own. */
  newIteration(): Promise<{ readonly id: number }>;
  /** In the scene's project, its owner's: with its token as runners send it. */
  newRunningJob(row?: Parameters<typeof runningJob>[2]): ReturnType<typeof runningJob>;
  /** The same that has left an archive. */
  newArchivedJob(row?: Parameters<typeof archivedJob>[2]): ReturnType<typeof archivedJob>;
  /** The same in a pipeline that has succeeded, on a ref of its own; it holds the one file `a.txt`. */
  newLatestArchive(): Promise<{ readonly id: number; readonly ref: string; readonly name: string }>;
  /** In the scene's project, by its owner, of the head of `main`. */
  newCommitStatus(): Promise<{ readonly id: number; readonly pipeline_id: number }>;
  /** In the scene's project, on `feature`, its owner's: one with a job that runs. */
  newPipeline(): Promise<number>;
  /** In such a pipeline of its own, which waits for a runner. */
  newJob(row?: Parameters<typeof insertJobRow>[2]): Promise<number>;
  /** In the scene's project: its key. */
  newResourceGroup(): Promise<string>;
  /** In the scene's project, by its owner; with `stopped` it has been. */
  newEnvironment(params?: Readonly<Record<string, unknown>>): Promise<{ readonly id: number; readonly name: string }>;
  /** In the scene's project, by its owner, to an environment of its own: one that runs. */
  newDeployment(params?: Readonly<Record<string, unknown>>): Promise<Deployed>;
  /** The same by a developer, to an environment for which a Maintainer must approve of it. */
  newAwaitedDeployment(): Promise<Deployed>;
  /** In the scene's project: reported once, with its event's id in the API. */
  newError(): Promise<{ readonly id: number; readonly event: string }>;
  /** Of the scene's project unless another place is named, or `instance`. */
  newRunner(place?: Group | Project | 'instance'): Promise<Runner>;
  /** A job in the scene's project, which nobody has taken yet; the token of the only runner that may. */
  newWaitingJob(): Promise<string>;
  /** Of the scene's project unless another is named; with `endpoint` the last segment of its address. */
  newAlertIntegration(project?: Project, input?: { readonly endpoint?: string }): Promise<TestIntegration>;
  /** In the scene's project: one that has just been sent. */
  newAlert(): Promise<{ readonly iid: number; readonly title: string }>;
  /** A mail that was given up. */
  newFailedMail(): Promise<number>;
  /** An unsubscribe token of the developer for a missing issue. */
  createUnsubscribeToken(): Promise<string>;
  /** A new secondary site with its credentials, which no other test uses. */
  newSite(): Promise<TestSite>;
  /** A call that prepares: it must succeed. */
  expectSuccess(answer: Promise<TestResponse>): Promise<TestResponse>;
}

const MEMBERS = ['guest', 'planner', 'reporter', 'developer', 'maintainer'] as const;

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
  const project = await makers.newProject(group);
  const contents = contentsOf(world, project);
  return {
    server: world.server,
    ...makers,
    ...contents,
    visibility,
    callers,
    group,
    subgroup: await makers.newSubgroup(group),
    project,
    member: await project.addMember('guest'),
    repository: await fillRepository(project),
    newSubgroup: () => makers.newSubgroup(group),
    newProject: (where = group) => makers.newProject(where),
    newEmptyProject: () => makers.newEmptyProject(group),
    newIssue: async (params = {}) =>
      (await expectSuccess(project.owner.post(`${project.at}/issues`, { title: world.name('Issue'), ...params }))).body,
    newEpic: async (params = {}) =>
      (await expectSuccess(callers.owner.post(`${group.at}/epics`, { title: world.name('Epic'), ...params }))).body,
    newMergeRequest: async (params = {}) => {
      const branches = { source_branch: params.source_branch ?? (await contents.newBranch()), target_branch: 'main' };
      const input = { title: world.name('Merge'), ...branches, ...params };
      return (await expectSuccess(project.owner.post(`${project.at}/merge_requests`, input))).body;
    },
    newLabel: async (place = project) =>
      (await expectSuccess(callers.owner.post(`${place.at}/labels`, { name: world.name('Label'), color: 'red' }))).body,
    newMilestone: async (place = project, params = {}) =>
      (await expectSuccess(callers.owner.post(`${place.at}/milestones`, { title: world.name('Milestone'), ...params })))
        .body,
    ...iterationsOf(world, group),
    newRunningJob: (row) => runningJob(world, project, row),
    newArchivedJob: (row) => archivedJob(world, project, row),
    ...pipelinesOf(world, project),
    async newEnvironment({ stopped = false, ...params } = {}) {
      const input = { name: world.name('environment'), ...params };
      const { body } = await expectSuccess(project.owner.post(`${project.at}/environments`, input));
      if (stopped) await expectSuccess(project.owner.post(`${project.at}/environments/${body.id}/stop`));
      return body;
    },
    ...deploymentsOf(world, project),
    async newError() {
      const id = await errorRow(world, project);
      return { id, event: await eventRow(world, project, id) };
    },
    newRunner: (place = project) => world.newRunner(place === 'instance' ? {} : { in: place }),
    async newWaitingJob() {
      await insertJobRow(world, project);
      return (await runnerRow(world, { projects: [project.id] })).token;
    },
    newAlertIntegration: (owner = project, params = {}) => createTestIntegration(world, owner, params),
    async newAlert() {
      const { notify } = await createTestIntegration(world, project);
      return (await expectSuccess(notify({ title: world.name('Alert') }))).body[0];
    },
    newFailedMail: () => createMail(world, 'failed'),
    createUnsubscribeToken: async () =>
      createUnsubscribeToken(await world.server.services.secretKey(), {
        target: 'Issue',
        id: 999_999,
        userId: callers.developer.id,
      }),
    newSite: () => newSite(world),
    expectSuccess,
  };
}

interface Deployed {
  readonly id: number;
  readonly environment: { readonly id: number; readonly name: string };
}

function deploymentsOf(world: World, project: Project) {
  async function deploy(by: Caller, params: Readonly<Record<string, unknown>>): Promise<Deployed> {
    const { commit } = (await expectSuccess(by.get(`${project.repository}/branches/main`))).body;
    const input = {
      environment: world.name('environment'),
      sha: commit.id,
      ref: 'main',
      tag: false,
      status: 'running',
    };
    return (await expectSuccess(by.post(`${project.at}/deployments`, { ...input, ...params }))).body;
  }
  return {
    newDeployment: (params: Readonly<Record<string, unknown>> = {}) => deploy(project.owner, params),
    async newAwaitedDeployment(): Promise<Deployed> {
      const environment = world.name('awaited');
      const developer = await project.addMember('developer');
      const protection = { levels: [{ user_id: developer.id }], rules: [{ access_level: 40 }] };
      const { database } = world.server.services;
      await database.transaction((tx) =>
        createProtection(tx, { project_id: project.id, group_id: null }, environment, protection),
      );
      return deploy(developer, { environment });
    },
  };
}

function pipelinesOf(world: World, project: Project) {
  const newPipeline = () => insertPipelineRow(world, project, { ref: 'feature' });
  return {
    async newPipeline(): Promise<number> {
      const pipeline_id = await newPipeline();
      await insertJobRow(world, project, { pipeline_id, status: 'running' });
      return pipeline_id;
    },
    async newResourceGroup(): Promise<string> {
      const key = world.name('resource');
      await resourceGroupRow(world, project, key);
      return key;
    },
    async newCommitStatus() {
      const input = { state: 'success', name: world.name('check'), ref: 'main' };
      return (await expectSuccess(project.owner.post(`${project.at}/statuses/main`, input))).body;
    },
    async newLatestArchive() {
      const [ref, name] = [world.name('ref'), world.name('job')];
      const pipeline_id = await insertPipelineRow(world, project, { ref, status: 'success' });
      const content = createZip([{ name: 'a.txt', content: 'a' }]);
      const { id } = await archivedJob(world, project, { pipeline_id, name, status: 'success', content });
      return { id, ref, name };
    },
    newJob: async (row: Parameters<typeof insertJobRow>[2] = {}): Promise<number> =>
      insertJobRow(world, project, { pipeline_id: await newPipeline(), ...row }),
  };
}

function iterationsOf({ name }: World, { at, owner }: Group) {
  const newCadence = async (): Promise<{ readonly id: number }> =>
    (await expectSuccess(owner.post(`${at}/iteration_cadences`, { title: name('Cadence'), automatic: false }))).body;
  return {
    newCadence,
    async newIteration(): Promise<{ readonly id: number }> {
      const { id } = await newCadence();
      const days = { start_date: '2026-01-01', due_date: '2026-01-14' };
      return (await expectSuccess(owner.post(`${at}/iterations`, { ...days, iterations_cadence_id: id }))).body;
    },
  };
}

function makersOf({ name, user, newGroup, newProject }: World, callers: Callers, visibility: Visibility) {
  const { owner } = callers;
  return {
    name,
    user: () => user(),
    userWithPassword: () => userWithPassword({ user }),
    async newGroup(): Promise<Group> {
      const group = await newGroup({ owner, visibility, path: name(visibility) });
      for (const role of MEMBERS) await group.addMember(role, callers[role]);
      return group;
    },
    newSubgroup: (parent: Group): Promise<Group> => newGroup({ in: parent, visibility }),
    newProject: ({ id }: Pick<Group, 'id'>): Promise<Project> =>
      newProject({ owner, in: { id }, visibility, readme: true }),
    newEmptyProject: ({ id }: Pick<Group, 'id'>): Promise<Project> => newProject({ owner, in: { id }, visibility }),
  };
}

function contentsOf({ name }: World, { owner, repository }: Project) {
  return {
    async newBranch(from = 'feature'): Promise<string> {
      const branch = name('branch');
      await expectSuccess(owner.post(`${repository}/branches`, { branch, ref: from }));
      return branch;
    },
    async newTag(): Promise<string> {
      const tag = name('tag');
      await expectSuccess(owner.post(`${repository}/tags`, { tag_name: tag, ref: 'main' }));
      return tag;
    },
    async newFile(): Promise<string> {
      const file = `docs/${name('file')}.md`;
      const params = { branch: 'feature', content: 'Text\n', commit_message: `Add ${file}` };
      await expectSuccess(owner.post(`${repository}/files/${encodeURIComponent(file)}`, params));
      return file;
    },
  };
}

async function fillRepository({ owner, repository, path_with_namespace }: Project): Promise<Scene['repository']> {
  const tip = async (branch: string): Promise<string> =>
    (await expectSuccess(owner.get(`${repository}/branches/${branch}`))).body.commit.id;
  const commit = (branch: string, file_path: string, more = {}) =>
    expectSuccess(
      owner.post(`${repository}/commits`, {
        branch,
        commit_message: `Add ${file_path}`,
        actions: [{ action: 'create', file_path, content: 'First line\nSecond line\n' }],
        ...more,
      }),
    );
  await expectSuccess(owner.post(`${repository}/tags`, { tag_name: 'v1.0.0', ref: 'main', message: 'The first one' }));
  const tagged = await tip('main');
  await commit('main', 'docs/guide.md');
  await commit('feature', 'docs/feature.md', { start_branch: 'main' });
  const tree: { path: string; id: string }[] = (await expectSuccess(owner.get(`${repository}/tree`))).body;
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
  await expectSuccess(owner.send('PUT', `//${path}.git/gitlab-lfs/objects/${oid}/${content.length}`, sending));
  return { oid, size: content.length };
}

/** As git sends credentials: any name, the token as the password. */
export function basic({ username, token }: Caller): Record<string, string> {
  if (token === null) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}` };
}
