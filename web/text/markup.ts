/** Formats foreign text in a worker, because a hostile text can take arbitrarily long. */

export type MarkupRequest =
  | {
      readonly kind: 'markdown';
      readonly text: string;
      /** The full path of the project that references without a path belong to; null without a project. */
      readonly project: string | null;
      /** The URL of the server, without a trailing slash. */
      readonly serverUrl: string;
    }
  | { readonly kind: 'code'; readonly text: string; readonly language: string };

/** `started` when the parts of the worker are loaded; then the HTML, or null if it would be too long. */
export type MarkupResponse = { readonly kind: 'started' } | { readonly kind: 'html'; readonly html: string | null };

/** The members of a worker that a queue uses. */
export interface MarkupWorker {
  onmessage: ((event: { readonly data: MarkupResponse }) => void) | null;
  onerror: ((event: never) => void) | null;
  postMessage(request: MarkupRequest): void;
  terminate(): void;
}

/** Longer texts are not formatted. */
export const MAX_MARKUP_LENGTH = 512 * 1024;

const TIMEOUT_MS = 1_000;

/** Returns the HTML of a text, which is not sanitised; null if it is too long or takes too long. */
export type FormatMarkup = (request: MarkupRequest) => Promise<string | null>;

/**
 * Returns a function that formats one text after the other. A worker that takes too long is terminated, and a new one
 * continues.
 */
export function createMarkupQueue(startWorker: () => MarkupWorker): FormatMarkup {
  let idleWorker: MarkupWorker | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const run = (request: MarkupRequest) =>
    new Promise<string | null>((resolve) => {
      const worker = idleWorker ?? startWorker();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const finish = (html: string | null, canContinue: boolean) => {
        clearTimeout(timer);
        if (!canContinue) worker.terminate();
        idleWorker = canContinue ? worker : null;
        resolve(html);
      };
      worker.onmessage = ({ data }) => {
        // Loading takes as long as the connection needs; only the formatting has a limit.
        if (data.kind === 'started') timer = setTimeout(() => finish(null, false), TIMEOUT_MS);
        else finish(data.html, true);
      };
      worker.onerror = () => finish(null, false);
      worker.postMessage(request);
    });

  return (request) => {
    if (request.text.length > MAX_MARKUP_LENGTH) return Promise.resolve(null);
    const result = last.then(() => run(request));
    // A worker that cannot start fails one text, not those after it.
    last = result.catch(() => {});
    return result;
  };
}
