import assert from 'node:assert/strict';
import { TOKEN } from './process.ts';

/** Anything that has an address. */
interface To {
  readonly address: string;
}

/** Sends a request as the first user and returns the response; throws if the server is down. */
export function ask({ address }: To, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${address}/api/v4${path}`, {
    method,
    headers: { 'PRIVATE-TOKEN': TOKEN, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Returns the response body of a call that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies by name
export async function asked(to: To, method: string, path: string, body?: object): Promise<any> {
  const answer = await ask(to, method, path, body);
  const said = await answer.json();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
  return said;
}
