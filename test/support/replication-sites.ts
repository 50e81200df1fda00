import { createHmac, randomUUID } from 'node:crypto';
import type { TestResponse } from './caller.ts';
import { expectSuccess } from './namespaces.ts';
import type { World } from './world.ts';

// Replication sites for tests, and their authentication (contract/operations.md §3.3).

export interface Credentials {
  readonly access_key: string;
  readonly secret_access_key: string;
}

interface SigningOptions {
  /** Seconds since 1970. */
  readonly at: number;
  /** Seconds until the token expires. */
  readonly lifetime?: number;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
}

/** Returns the authorization header with which a site signs `data`. */
export function proof(
  { access_key, secret_access_key }: Credentials,
  data: object,
  { at, lifetime = 60, claims = {}, alg = 'HS256' }: SigningOptions,
): { readonly Authorization: string } {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { data: JSON.stringify(data), jti: randomUUID(), iat: at, nbf: at, exp: at + lifetime, ...claims };
  const signed = `${encoded({ alg, typ: 'JWT' })}.${encoded(payload)}`;
  const signature = createHmac('sha256', secret_access_key).update(signed).digest('base64url');
  return { Authorization: `GL-Geo ${access_key}:${signed}.${signature}` };
}

export interface TestSite extends Credentials {
  readonly id: number;
  readonly name: string;
  readonly at: string;
  /** Returns the authorization header for the current time. */
  proof(data?: object, signing?: Partial<SigningOptions>): { readonly Authorization: string };
  get(path: string, params?: Readonly<Record<string, unknown>>): Promise<TestResponse>;
  send(method: string, path: string, params?: Readonly<Record<string, unknown>>): Promise<TestResponse>;
}

/** Creates a secondary site and its credentials. */
export async function newSite(
  { root, anonymous, name, clock }: Pick<World, 'root' | 'anonymous' | 'name' | 'clock'>,
  params: Readonly<Record<string, unknown>> = {},
): Promise<TestSite> {
  const site = name('site');
  const { id } = (await expectSuccess(root.post('/geo_sites', { name: site, url: `https://${site}.test`, ...params })))
    .body;
  const credentials: Credentials = (await expectSuccess(root.post(`/geo_sites/${id}/credentials`))).body;
  const now = () => Math.floor(clock.now().getTime() / 1000);
  const prove = (data: object = { scope: 'geo_api' }, signing: Partial<SigningOptions> = {}) =>
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
