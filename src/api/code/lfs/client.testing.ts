import { createHash } from 'node:crypto';
import { basic } from '#test/examples/scene.ts';
import { type Caller, type Project, world } from '#test/support/world.ts';

// An LFS client (contract/repository.md §5): Basic credentials, LFS media type, plain-text errors.

const { anonymous, withToken, name } = await world();

export interface LfsContent {
  readonly bytes: Buffer;
  readonly oid: string;
  readonly size: number;
}

/** Returns new content that no other test has stored, which begins with these bytes. */
export function createContent(start: Buffer = Buffer.alloc(0)): LfsContent {
  const bytes = Buffer.concat([start, Buffer.from(`content of ${name('object')}`)]);
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

export const callerWithoutToken = withToken(anonymous, null);
const basicCredentials = (caller: Caller) => (caller.token === null ? {} : basic(caller));

/** Requests transfer actions, as git-lfs does before it transfers objects. */
export function requestBatch(
  caller: Caller,
  { path_with_namespace }: Project,
  operation: string,
  objects: readonly object[],
) {
  const headers = { ...basicCredentials(caller), 'Content-Type': 'application/vnd.git-lfs+json' };
  return callerWithoutToken.send('POST', `//${path_with_namespace}.git/info/lfs/objects/batch`, {
    raw: JSON.stringify({ operation, objects, transfers: ['basic'], hash_algo: 'sha256' }),
    headers,
  });
}

/** Sends the content to the address of an upload action. */
export function uploadObject(caller: Caller, { path_with_namespace }: Project, { oid, size, bytes }: LfsContent) {
  const headers = { ...basicCredentials(caller), 'Content-Type': 'application/octet-stream' };
  return callerWithoutToken.send('PUT', `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}/${size}`, {
    raw: bytes,
    headers,
  });
}

export function downloadObject(caller: Caller, { path_with_namespace }: Project, oid: string) {
  return callerWithoutToken.send('GET', `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}`, {
    headers: basicCredentials(caller),
  });
}

export const toReference = ({ oid, size }: LfsContent) => ({ oid, size });
