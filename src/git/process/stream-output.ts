import { PassThrough, Readable } from 'node:stream';
import type { GitFailure } from './failures.ts';
import type { GitChild } from './spawn.ts';

export type OutputStream = { readonly content: Readable } | { readonly failure: GitFailure };

/**
 * Streams the standard output of a command in constant memory. A failure before the first byte is returned. `content` fails when
 * git dies later; destroying it stops git.
 */
export async function streamOutput(child: GitChild): Promise<OutputStream> {
  if (await hasOutput(child)) return { content: streamContent(child) };
  child.stdout.resume();
  const exit = await child.done;
  return exit.ok ? { content: Readable.from([]) } : { failure: exit.failure };
}

/** Returns whether git writes a first byte. Without one the command has ended. */
async function hasOutput(child: GitChild): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.stdout.once('readable', () => resolve(child.stdout.readableLength > 0));
  child.stdout.once('end', () => resolve(false));
  child.stdout.once('close', () => resolve(false));
  return promise;
}

function streamContent(child: GitChild): Readable {
  const content = new PassThrough();
  // The reader gets the error. git may be stopped before anything reads, for instance because its client disconnects.
  content.on('error', () => undefined);
  child.stdout.pipe(content, { end: false });
  child.stdout.on('error', () => undefined);
  content.on('close', () => child.kill());
  child.done.then((exit) => {
    if (exit.ok) content.end();
    else content.destroy(new Error(`git ${child.command} was aborted: ${exit.failure.kind}`));
  });
  return content;
}
