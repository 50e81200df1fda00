import { createHash } from 'node:crypto';
import { TOKEN } from './process.ts';

// Creates LFS objects, users and projects during the kills, and verifies them afterwards.

export interface Made {
  /** The LFS objects that the server acknowledged, by their content. */
  readonly objects: Set<string>;
  readonly usernames: Set<string>;
  /** Of projects that were made with a first commit. */
  readonly projects: Set<string>;
}

export interface Making {
  readonly address: string;
  readonly projectPath: string;
  readonly round: number;
  readonly made: Made;
  readonly running: () => boolean;
}

/** Uploads objects and creates users and projects until it is stopped. */
export async function make({ address, projectPath, round, made, running }: Making): Promise<void> {
  for (let index = 0; running(); index++) {
    const name = `made-${round}-${index}`;
    if (await isTaken(upload(address, projectPath, name))) made.objects.add(name);
    if (await isTaken(createUser(address, name))) made.usernames.add(name);
    if (await isTaken(createProject(address, `project-${name}`))) made.projects.add(`project-${name}`);
  }
}

/** Returns the records that are missing or incomplete at this server. */
export async function missing(address: string, projectPath: string, made: Made): Promise<string[]> {
  const places = [
    ...[...made.objects].map((name) => `/${projectPath}.git/gitlab-lfs/objects/${oidOf(name)}`),
    ...[...made.usernames].map((name) => `/api/v4/namespaces/${name}`),
    ...[...made.projects].map((name) => `/api/v4/projects/root%2F${name}/repository/files/README.md/raw?ref=main`),
  ];
  const lost: string[] = [];
  for (const place of places) {
    const answer = await fetch(`${address}${place}`, { headers: basic });
    await answer.arrayBuffer();
    if (answer.status !== 200) lost.push(`${answer.status} ${place}`);
  }
  return lost;
}

const basic = { Authorization: `Basic ${Buffer.from(`root:${TOKEN}`).toString('base64')}`, 'PRIVATE-TOKEN': TOKEN };
const json = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };

async function isTaken(asked: Promise<Response>): Promise<boolean> {
  try {
    const answer = await asked;
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

function upload(address: string, projectPath: string, content: string): Promise<Response> {
  const path = `/${projectPath}.git/gitlab-lfs/objects/${oidOf(content)}/${content.length}`;
  return fetch(address + path, { method: 'PUT', headers: basic, body: content });
}

function oidOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

function createUser(address: string, username: string): Promise<Response> {
  const body = { username, name: username, email: `${username}@hearth.test`, force_random_password: true };
  return fetch(`${address}/api/v4/users`, { method: 'POST', headers: json, body: JSON.stringify(body) });
}

function createProject(address: string, name: string): Promise<Response> {
  const body = { name, initialize_with_readme: true };
  return fetch(`${address}/api/v4/projects`, { method: 'POST', headers: json, body: JSON.stringify(body) });
}
