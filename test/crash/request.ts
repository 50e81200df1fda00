import assert from 'node:assert/strict';
import { TOKEN } from './process.ts';

/** Anything that has an address. */
interface To {
  readonly address: string;
}

/** What a server answers to its first user; throws when it is gone. */
export function ask({ address }: To, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${address}/api/v4${path}`, {
    method,
    headers: { 'PRIVATE-TOKEN': TOKEN, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** What it says to a call that has to succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies by name
export async function asked(to: To, method: string, path: string, body?: object): Promise<any> {
  const answer = await ask(to, method, path, body);
  const said = await answer.json();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
  return said;
}
