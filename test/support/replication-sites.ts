import { createHmac, randomUUID } from 'node:crypto';
import type { Answer } from './caller.ts';
import { done } from './namespaces.ts';
import type { World } from './world.ts';

// Replication sites of a test, and how they prove themselves (contract/operations.md §3.3).

export interface Credentials {
  readonly access_key: string;
  readonly secret_access_key: string;
}

interface Signing {
  /** Seconds since 1970. */
  readonly at: number;
  /** Seconds. */
  readonly lives?: number;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
}

/** The header by which a site proves that it wants `data`. */
export function proof(
  { access_key, secret_access_key }: Credentials,
  data: object,
  { at, lives = 60, claims = {}, alg = 'HS256' }: Signing,
): { readonly Authorization: string } {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { data: JSON.stringify(data), jti: randomUUID(), iat: at, nbf: at, exp: at + lives, ...claims };
  const signed = `${encoded({ alg, typ: 'JWT' })}.${encoded(payload)}`;
  const signature = createHmac('sha256', secret_access_key).update(signed).digest('base64url');
  return { Authorization: `GL-Geo ${access_key}:${signed}.${signature}` };
}

export interface TestSite extends Credentials {
  readonly id: number;
  readonly name: string;
  readonly at: string;
  /** What it proves itself by at this moment. */
  proof(data?: object, signing?: Partial<Signing>): { readonly Authorization: string };
  get(path: string, params?: Readonly<Record<string, unknown>>): Promise<Answer>;
  send(method: string, path: string, params?: Readonly<Record<string, unknown>>): Promise<Answer>;
}

/** A secondary, with its credentials. */
export async function newSite(
  { root, anonymous, name, clock }: Pick<World, 'root' | 'anonymous' | 'name' | 'clock'>,
  params: Readonly<Record<string, unknown>> = {},
): Promise<TestSite> {
  const site = name('site');
  const { id } = (await done(root.post('/geo_sites', { name: site, url: `https://${site}.test`, ...params }))).body;
  const credentials: Credentials = (await done(root.post(`/geo_sites/${id}/credentials`))).body;
  const now = () => Math.floor(clock.now().getTime() / 1000);
  const prove = (data: object = { scope: 'geo_api' }, signing: Partial<Signing> = {}) =>
    proof(credentials, data, { at: now(), ...signing });
  return {
    ...credentials,
    id,
    name: site,
    at: `/geo_sites/${id}`,
    proof: prove,
    get: (path, more) => anonymous.get(path, more, prove()),
    send: (method, path, more) => anonymous.send(method, path, { headers: prove(), ...(more && { params: more }) }),
  };
}
