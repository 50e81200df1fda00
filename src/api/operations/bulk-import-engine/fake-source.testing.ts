import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the fake source received. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** Status, JSON body and headers; or a function that writes the response. */
export type FakeResponse =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface FakeSource {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** Sets the responses for a path below `/api/v4`, with or without its query: used in order, the last one repeatedly. */
  respond(path: string, ...responses: readonly FakeResponse[]): void;
}

/** Starts a server with configurable responses that passes the checks of a source; other paths return 404. */
export async function startFakeSource(t: { after(end: () => void): void }): Promise<FakeSource> {
  const responsesByPath = new Map<string, FakeResponse[]>();
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace('/api/v4', '');
    requests.push({ path, headers: request.headers });
    const responses = responsesByPath.get(path) ??
      responsesByPath.get(path.split('?', 1)[0]!) ?? [{ status: 404, body: {} }];
    const fakeResponse = responses.length > 1 ? responses.shift()! : responses[0]!;
    if (typeof fakeResponse === 'function') return fakeResponse(request, response);
    const { status = 200, body = {}, headers = {} } = fakeResponse;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const respond: FakeSource['respond'] = (path, ...responses) => void responsesByPath.set(path, [...responses]);
  respond('/version', { body: { version: '18.9.0', enterprise: true } });
  respond('/personal_access_tokens/self', { body: { scopes: ['api'] } });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, respond };
}

/** Serves a group with these lists; its other lists are empty. */
export function serveGroup(
  source: FakeSource,
  path: string,
  id: number,
  lists: Readonly<Record<string, readonly FakeResponse[]>> = {},
): void {
  const name = path.split('/').at(-1)!;
  const group = { id, name, path: name, full_path: path, visibility: 'private', description: '' };
  source.respond(`/groups/${encodeURIComponent(path)}`, { body: group });
  for (const list of GROUP_LISTS) source.respond(`/groups/${id}/${list}`, { body: [] });
  for (const [list, responses] of Object.entries(lists)) source.respond(`/groups/${id}/${list}`, ...responses);
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

/** Returns the body of `POST /bulk_imports` for one group. */
export const buildImportInput = (
  { url }: Pick<FakeSource, 'url'>,
  source_full_path: string,
  destination_slug: string,
  overrides: object = {},
) => ({
  configuration: { url, access_token: 'sesame-of-the-source' },
  entities: [
    { source_type: 'group_entity', source_full_path, destination_namespace: '', destination_slug, ...overrides },
  ],
});

/** Serves an empty project; the test serves its repository. */
export function serveProject(source: FakeSource, path: string, id: number): void {
  const name = path.split('/').at(-1)!;
  const project = { id, name, path: name, path_with_namespace: path, visibility: 'private' };
  source.respond(`/projects/${encodeURIComponent(path)}`, { body: { ...project, created_at: '2026-01-01T00:00:00Z' } });
  for (const list of PROJECT_LISTS) source.respond(`/projects/${id}/${list}`, { body: [] });
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
