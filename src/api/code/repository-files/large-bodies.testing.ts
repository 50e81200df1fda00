import { request as httpRequest } from 'node:http';
import { type Caller, world } from '#test/support/world.ts';

// Sends long bodies to the files of a new project.

export const JSON_TYPE = 'application/json';
export const MEBIBYTE = Buffer.alloc(1024 * 1024, 'a');

/** Creates a project with a README.md; returns it with requests for its files. */
export async function setUp() {
  const { newProject } = await world();
  const project = await newProject({ readme: true });
  const { owner, repository } = project;
  const at = (path: string) => `${repository}/files/${encodeURIComponent(path)}`;
  const post = (path: string, type: string, raw: string | Buffer, query = '') =>
    owner.send('POST', `${at(path)}${query}`, { raw, headers: { 'Content-Type': type } });
  const raw = async (path: string) => (await owner.get(`${at(path)}/raw`)).bytes;
  const tip = async () => (await owner.get(`${repository}/branches/main`)).body.commit.id;
  return { ...project, at, post, raw, tip };
}

/** Creates a file from a body without a Content-Length: `chunk` repeated. Returns the status. */
export function sendChunked(
  address: string,
  caller: Caller,
  path: string,
  chunk: Buffer,
  times: number,
): Promise<number> {
  const repository = new URL(`${address}/api/v4${path}`);
  const headers = { 'PRIVATE-TOKEN': String(caller.token), 'Content-Type': JSON_TYPE };
  return new Promise((resolve, reject) => {
    const request = httpRequest(repository, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.write('{"branch":"main","commit_message":"m","content":"');
    for (let time = 0; time < times; time++) request.write(chunk);
    request.end('"}');
  });
}
