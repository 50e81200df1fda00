import { createHash } from 'node:crypto';
import { basic } from '#test/examples/scene.ts';
import { type Caller, type Project, world } from '#test/support/world.ts';

// LFS as its clients speak it (contract/repository.md §5): Basic credentials, JSON of their own, plain-text refusals.

const { anonymous, withToken, name } = await world();

export interface Content {
  readonly bytes: Buffer;
  readonly oid: string;
  readonly size: number;
}

export function newContent(): Content {
  const bytes = Buffer.from(`content of ${name('object')}`);
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

export const bare = withToken(anonymous, null);
const proofOf = (caller: Caller) => (caller.token === null ? {} : basic(caller));

export function batch(caller: Caller, { path_with_namespace }: Project, operation: string, objects: readonly object[]) {
  const headers = { ...proofOf(caller), 'Content-Type': 'application/vnd.git-lfs+json' };
  return bare.send('POST', `//${path_with_namespace}.git/info/lfs/objects/batch`, {
    raw: JSON.stringify({ operation, objects, transfers: ['basic'], hash_algo: 'sha256' }),
    headers,
  });
}

export function put(caller: Caller, { path_with_namespace }: Project, { oid, size, bytes }: Content) {
  const headers = { ...proofOf(caller), 'Content-Type': 'application/octet-stream' };
  return bare.send('PUT', `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}/${size}`, { raw: bytes, headers });
}

export function get(caller: Caller, { path_with_namespace }: Project, oid: string) {
  return bare.send('GET', `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}`, { headers: proofOf(caller) });
}

export const wanted = ({ oid, size }: Content) => ({ oid, size });
