import type { Readable, Writable } from 'node:stream';
import type { GitFailure } from './failures.ts';
import type { GitChild } from './spawn.ts';

/**
 * Feeds a command with what a client sends, with back-pressure. A client that breaks off gives the command a broken
 * input; a command that ends early lets the client finish unread, so that it comes to hear the answer.
 */
export function feed(input: Readable, stdin: Writable): void {
  input.pipe(stdin);
  const ignoreRest = (): void => {
    input.unpipe(stdin);
    input.resume();
  };
  stdin.on('error', ignoreRest);
  stdin.on('close', ignoreRest);
  const breakOff = (): void => {
    if (!input.readableEnded) stdin.destroy();
  };
  input.on('error', breakOff);
  input.on('close', breakOff);
  // A client that has gone already says nothing any more.
  if (input.destroyed) breakOff();
}

/**
 * Writes what a command says to a client, with back-pressure, and leaves the client open. A client that goes away
 * does not stop the command: the rest is thrown away. Settles when the command has nothing more to say.
 */
export function drainTo(stdout: Readable, client: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ignoreRest = (): void => {
    stdout.unpipe(client);
    stdout.resume();
  };
  stdout.on('close', resolve);
  stdout.on('error', () => resolve());
  client.on('error', ignoreRest);
  client.on('close', ignoreRest);
  if (client.destroyed) ignoreRest();
  else stdout.pipe(client, { end: false });
  return promise;
}

/** How a streamed answer ended; a failure is for the log, the client has been told or cut off. */
export interface Streamed {
  readonly failure: GitFailure | null;
}

/** Stops a command when the client that it works for goes away. */
export function until(client: Writable, child: GitChild): void {
  client.on('error', () => child.kill());
  client.on('close', () => child.kill());
  if (client.destroyed) child.kill();
}

/**
 * Writes all that a command says to the client and ends it. A command that was stopped or killed breaks the client off,
 * so that half an answer never looks like a whole one.
 */
export async function finish(child: GitChild, client: Writable): Promise<Streamed> {
  await drainTo(child.stdout, client);
  const ended = await child.done;
  if (ended.ok) {
    client.end();
    return { failure: null };
  }
  const { failure } = ended;
  // With an exit code git has said in the protocol what was wrong.
  if (failure.kind === 'failed' && failure.code === null) client.destroy();
  else if (failure.kind === 'stopped' || failure.kind === 'timed-out') client.destroy();
  else client.end();
  return { failure };
}
