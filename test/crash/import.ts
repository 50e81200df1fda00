import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectSuccess, type Group, type Project, type World } from '../support/world.ts';
import { forgetLeases } from './expire-leases.ts';
import { startVictim, TOKEN, type Victim } from './process.ts';
import { asked } from './request.ts';

export interface Importing {
  readonly kills: number;
  /** Of each project. */
  readonly issues: number;
  readonly commits: number;
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  /** The source. */
  readonly there: World;
}

/** Kills a server repeatedly during an import; asserts that the imported data equals the source. */
export async function importing({ kills, dataDir, databaseUrl, there, ...size }: Importing): Promise<void> {
  const group = await fill(there, size);
  const door = await openDoor(there.server.address);
  const env = { HEARTH_ALLOW_LOCAL_REQUESTS: 'true' };
  // The import requests the notes of each issue in each of three projects.
  const between = Math.floor((3 * size.issues + 50) / (1.5 * kills)) - 2;
  let victim = await startVictim(dataDir, databaseUrl, env);
  try {
    const id = await begin(victim, door.address, there, group);
    for (let kill = 0; kill < kills; kill++) {
      // Somewhere in the work, at another place each time; a request of which no answer comes.
      const early = victim.says('An import has ended').then(() => assert.fail(`It has ended after ${kill} kills`));
      await Promise.race([early, door.after(between + ((kill * 13) % 5))]);
      await victim.kill();
      door.open();
      if (databaseUrl) await forgetLeases(databaseUrl);
      victim = await startVictim(dataDir, databaseUrl, env);
    }
    await ended(victim, id);
    const entities = await ask(victim.address, TOKEN, `/bulk_imports/${id}/entities?sort=asc`);
    for (const { status, failures } of entities as Json[]) assert.deepEqual([status, failures], ['finished', []]);
    const copy = await described(victim.address, TOKEN, 'copy');
    assert.deepEqual(copy, await described(there.server.address, there.root.token!, group.path));
  } finally {
    await victim.stop();
    await door.close();
  }
}

type Json = Record<string, unknown>;

/** Two groups below a group, three projects. */
async function fill(there: World, { issues, commits }: { issues: number; commits: number }): Promise<Group> {
  const { root } = there;
  const group = await there.newGroup({ owner: root });
  const below = [await there.newGroup({ in: group }), await there.newGroup({ in: group })];
  await expectSuccess(root.post(`${group.at}/labels`, { name: 'bug', color: 'red' }));
  await expectSuccess(root.post(`${group.at}/milestones`, { title: 'First', due_date: '2026-05-01' }));
  for (const place of [group, ...below]) {
    const project = await there.newProject({ in: place, readme: true });
    for (let count = 1; count < commits; count++) await project.commit({ 'count.txt': `${count}` });
    await plan(project, issues);
  }
  await there.runJobs();
  return group;
}

async function plan({ at, repository, owner }: Project, issues: number): Promise<void> {
  await expectSuccess(owner.post(`${at}/labels`, { name: 'own', color: 'blue', description: 'Here alone' }));
  for (let count = 1; count <= issues; count++) {
    const { body } = await expectSuccess(owner.post(`${at}/issues`, { title: `Issue ${count}`, labels: 'bug,own' }));
    await expectSuccess(owner.post(`${at}/issues/${body.iid}/notes`, { body: `Note on ${count}` }));
    if (count % 3 === 0) await expectSuccess(owner.put(`${at}/issues/${body.iid}`, { state_event: 'close' }));
  }
  await expectSuccess(owner.post(`${repository}/branches`, { branch: 'feature', ref: 'main' }));
  await expectSuccess(owner.post(`${repository}/tags`, { tag_name: 'v1', ref: 'main' }));
}

async function begin(victim: Victim, url: string, there: World, { path }: Group): Promise<number> {
  const entity = { source_type: 'group_entity', source_full_path: path };
  const made = await asked(victim, 'POST', '/bulk_imports', {
    configuration: { url, access_token: there.root.token },
    entities: [{ ...entity, destination_namespace: '', destination_slug: 'copy' }],
  });
  return made.id;
}

/** It may have ended while nobody listened: asked once more when the listening has begun. */
async function ended(victim: Victim, id: number): Promise<void> {
  const said = victim.says('An import has ended');
  const { status } = (await ask(victim.address, TOKEN, `/bulk_imports/${id}`)) as Json;
  if (status === 'created' || status === 'started') await said;
}

/** Returns the imported data of a group, without values that differ between servers. */
async function described(address: string, token: string, path: string): Promise<unknown> {
  const list = (below: string) => all(address, token, below);
  const group = encodeURIComponent(path);
  const projects = await list(`/groups/${group}/projects?order_by=path&sort=asc`);
  const subgroups = await list(`/groups/${group}/subgroups?order_by=path&sort=asc`);
  return {
    labels: only(await list(`/groups/${group}/labels?include_ancestor_groups=false`), ['name', 'color', 'description']),
    milestones: only(await list(`/groups/${group}/milestones`), ['iid', 'title', 'state', 'due_date']),
    members: only(await list(`/groups/${group}/members/all`), ['username', 'access_level']),
    projects: await Promise.all(projects.map((project) => describedProject(list, project))),
    groups: await Promise.all(subgroups.map(({ full_path }) => described(address, token, full_path as string))),
  };
}

async function describedProject(list: (path: string) => Promise<Json[]>, { id, ...project }: Json): Promise<unknown> {
  const at = `/projects/${id}`;
  const issues = await list(`${at}/issues?scope=all&state=all&order_by=created_at&sort=asc`);
  const notes = await Promise.all(
    issues.map(({ iid }) => list(`${at}/issues/${iid}/notes?order_by=created_at&sort=asc`)),
  );
  const ref = ({ name, commit }: Json) => [name, (commit as Json).id];
  return {
    project: only([project], ['name', 'path', 'description', 'default_branch', 'created_at']),
    labels: only(await list(`${at}/labels?include_ancestor_groups=false`), ['name', 'color', 'description']),
    issues: only(issues, ['iid', 'title', 'state', 'labels', 'created_at', 'updated_at', 'closed_at', 'confidential']),
    notes: notes.map((each) => only(each, ['body', 'system', 'created_at'])),
    branches: (await list(`${at}/repository/branches`)).map(ref),
    tags: (await list(`${at}/repository/tags`)).map(ref),
    protected: only(await list(`${at}/protected_branches`), ['name', 'allow_force_push']),
  };
}

const only = (rows: readonly Json[], names: readonly string[]) =>
  rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));

async function ask(address: string, token: string, path: string): Promise<unknown> {
  const response = await fetch(`${address}/api/v4${path}`, { headers: { 'PRIVATE-TOKEN': token } });
  assert.equal(response.status, 200, path);
  return response.json();
}

async function all(address: string, token: string, path: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let page = 1; ; page++) {
    const some = (await ask(
      address,
      token,
      `${path}${path.includes('?') ? '&' : '?'}page=${page}&per_page=100`,
    )) as Json[];
    rows.push(...some);
    if (some.length < 100) return rows;
  }
}

/** The way to the source: it can be shut in front of a request. */
interface Door {
  readonly address: string;
  /** Resolves when so many more requests have passed; the next ones wait until it is opened. */
  after(requests: number): Promise<void>;
  open(): void;
  close(): Promise<void>;
}

async function openDoor(source: string): Promise<Door> {
  let left = Number.POSITIVE_INFINITY;
  let shut = () => {};
  const { hostname, port } = new URL(source);
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (left === 0) return shut();
    left--;
    const { method, url: path, headers } = incoming;
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => outgoing.writableFinished || onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    after(requests) {
      left = requests;
      return new Promise((resolve) => {
        shut = resolve;
      });
    },
    open() {
      left = Number.POSITIVE_INFINITY;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
