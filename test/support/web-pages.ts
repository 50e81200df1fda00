import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { scratchDirectory } from '#test/engines/scratch.ts';
import { ADDRESSES, type PageName, toPath } from '#web/addresses.ts';
import type { Session } from '#web/session.ts';
import type { Caller } from './caller.ts';
import type { World } from './world.ts';

type RenderAt = (
  fetch: typeof globalThis.fetch,
  session: Session,
  path: string,
  search?: string,
  withLater?: boolean,
) => Promise<string | null>;

/** Bundles the pages: Node cannot read JSX. */
async function bundlePages(): Promise<RenderAt> {
  const root = join(import.meta.dirname, '../..');
  const { outputFiles } = await build({
    entryPoints: [join(root, 'web/render.tsx')],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    absWorkingDir: root,
  });
  const file = join(await scratchDirectory('pages-'), 'pages.mjs');
  writeFileSync(file, outputFiles[0]!.contents);
  return ((await import(pathToFileURL(file).href)) as { renderAt: RenderAt }).renderAt;
}

let bundled: Promise<RenderAt> | undefined;

/** A read of a page, and the status of the response. */
export interface PageCall {
  /** Path and query of the server. */
  readonly url: string;
  readonly status: number;
}

/** Whoever looks at a page: by a token, or by the session cookie as in a browser. */
export type Visitor = Pick<Caller, 'id' | 'token'> & { readonly cookie?: string | null };

/**
 * Returns the HTML of the page that a caller sees at an address, without a browser. `onCall` gets each call of the page. Without
 * `withLater` it is the page as it is shown first.
 */
export async function renderPage(
  { server }: Pick<World, 'server'>,
  caller: Visitor | null,
  address: string,
  onCall: (call: PageCall) => void = () => {},
  withLater = true,
): Promise<string> {
  bundled ??= bundlePages();
  const renderAt = await bundled;
  const session: Session = { origin: server.address, basePath: '', userId: caller?.id ?? null, csrfToken: null };
  const fetchAsCaller: typeof fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    if (caller?.cookie) headers.set('Cookie', `_service_session=${caller.cookie}`);
    else if (caller?.token) headers.set('PRIVATE-TOKEN', caller.token);
    const response = await fetch(`${server.address}${url}`, { ...init, headers });
    onCall({ url: String(url), status: response.status });
    return response;
  };
  const [path = '', search = ''] = address.split('?');
  const html = await renderAt(fetchAsCaller, session, path, search, withLater);
  if (html === null) throw new Error(`No page has the address ${address}`);
  return html;
}

/** Returns an address of each page, with these values of the parameters. Throws for a parameter without a value. */
export function listAddresses(
  values: Readonly<Record<string, string>>,
): (readonly [name: PageName, address: string])[] {
  return (Object.keys(ADDRESSES) as PageName[]).map((name) => {
    for (const [parameter] of ADDRESSES[name].path.matchAll(/(?<=[:*])\w+/g))
      if (values[parameter] === undefined) throw new Error(`${parameter} of the page ${name} has no value`);
    return [name, toPath(name, values)];
  });
}
