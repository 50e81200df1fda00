import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a fake source was asked, with the headers that it came with. */
interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** A status, a body that is JSON, and headers; or whatever a function writes. */
export type Said =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface FakeSource {
  readonly url: string;
  readonly asked: Asked[];
  /** What is answered to a path below `/api/v4`, with or without its query: one after another, the last for ever. */
  say(path: string, ...answers: readonly Said[]): void;
}

/** A server that says what tests want, and what a source says that may be copied from; all else is not there. */
export async function fakeSource(t: { after(end: () => void): void }): Promise<FakeSource> {
  const said = new Map<string, Said[]>();
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/api/v4', '');
    asked.push({ path, headers: request.headers });
    const answers = said.get(path) ?? said.get(path.split('?', 1)[0]!) ?? [{ status: 404, body: {} }];
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (typeof answer === 'function') return answer(request, response);
    const { status = 200, body = {}, headers = {} } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const say: FakeSource['say'] = (path, ...answers) => void said.set(path, [...answers]);
  say('/version', { body: { version: '18.9.0', enterprise: true } });
  say('/personal_access_tokens/self', { body: { scopes: ['api'] } });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, say };
}

/** A group of the source, with what is said of its lists; the others are empty. */
export function sayGroup(
  source: FakeSource,
  path: string,
  id: number,
  lists: Readonly<Record<string, readonly Said[]>> = {},
): void {
  const name = path.split('/').at(-1)!;
  const group = { id, name, path: name, full_path: path, visibility: 'private', description: '' };
  source.say(`/groups/${encodeURIComponent(path)}`, { body: group });
  for (const list of GROUP_LISTS) source.say(`/groups/${id}/${list}`, { body: [] });
  for (const [list, answers] of Object.entries(lists)) source.say(`/groups/${id}/${list}`, ...answers);
}

const GROUP_LISTS = [
  'export_relations/status',
  'members',
  'members/all',
  'labels',
  'milestones',
  'iterations',
  'epics',
  'projects',
  'subgroups',
];

/** What `POST /bulk_imports` needs for one group. */
export const importOf = (
  { url }: Pick<FakeSource, 'url'>,
  source_full_path: string,
  destination_slug: string,
  more: object = {},
) => ({
  configuration: { url, access_token: 'sesame-of-the-source' },
  entities: [{ source_type: 'group_entity', source_full_path, destination_namespace: '', destination_slug, ...more }],
});

/** A project of the source in which there is nothing; its repository is said by the test. */
export function sayProject(source: FakeSource, path: string, id: number): void {
  const name = path.split('/').at(-1)!;
  const project = { id, name, path: name, path_with_namespace: path, visibility: 'private' };
  source.say(`/projects/${encodeURIComponent(path)}`, { body: { ...project, created_at: '2026-01-01T00:00:00Z' } });
  for (const list of PROJECT_LISTS) source.say(`/projects/${id}/${list}`, { body: [] });
}

const PROJECT_LISTS = [
  'export_relations/status',
  'members',
  'members/all',
  'labels',
  'milestones',
  'issues',
  'merge_requests',
  'protected_branches',
  'environments',
];
