import { createMarkupQueue, type FormatMarkup, type MarkupRequest, type MarkupWorker } from '../text/markup.ts';
import { createTrustedTypesPolicy } from './trusted-types.ts';

/** The worker of this page that formats foreign text. */

/** The name of the worker's file, which the bundler inserts. */
declare const MARKUP_WORKER: string;

let formatInWorker: FormatMarkup | undefined;

/** Returns the HTML of a text, which is not sanitised; null if it is too long, takes too long, or the worker does not start. */
export function formatMarkup(request: MarkupRequest): Promise<string | null> {
  formatInWorker ??= createMarkupQueue(startWorker);
  return formatInWorker(request).catch(() => null);
}

/** Returns scheme and host of the server, and its path below the host, without a trailing slash. */
export function findServerUrl(): { readonly origin: string; readonly basePath: string } {
  // This script is at /-/web/ of the server.
  const { origin, pathname } = new URL('../..', import.meta.url);
  return { origin, basePath: pathname.slice(0, -1) };
}

let policy: { readonly createScriptURL: (name: string) => string } | undefined;

function startWorker(): MarkupWorker {
  // Only the URL of the worker itself becomes the URL of a script.
  policy ??= createTrustedTypesPolicy('hearth', {
    createScriptURL: () => new URL(MARKUP_WORKER, import.meta.url).href,
  });
  return new Worker(policy.createScriptURL(''), { type: 'module' }) as MarkupWorker;
}
