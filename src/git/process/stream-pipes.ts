import { PassThrough, Readable, type Writable } from 'node:stream';
import type { GitFailure } from './failures.ts';
import type { GitChild } from './spawn.ts';

/**
 * Pipes a client's input to a command, with back-pressure. If the client disconnects early, the input of the command is
 * closed.
 * If the command exits early, the rest of the input is discarded so that the client can read the response.
 */
export function pipeToStdin(input: Readable, stdin: Writable): void {
  input.pipe(stdin);
  const discardRest = (): void => {
    input.unpipe(stdin);
    input.resume();
  };
  stdin.on('error', discardRest);
  stdin.on('close', discardRest);
  const closeStdin = (): void => {
    if (!input.readableEnded) stdin.destroy();
  };
  input.on('error', closeStdin);
  input.on('close', closeStdin);
  // A disconnected client sends nothing more.
  if (input.destroyed) closeStdin();
}

/**
 * Pipes a command's output to a client with back-pressure and leaves the client open. If the client disconnects, the
 * rest is discarded. Resolves at the end of the output.
 */
export function pipeOutput(stdout: Readable, client: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const discardRest = (): void => {
    stdout.unpipe(client);
    stdout.resume();
  };
  stdout.on('close', resolve);
  stdout.on('error', () => resolve());
  client.on('error', discardRest);
  client.on('close', discardRest);
  if (client.destroyed) discardRest();
  else stdout.pipe(client, { end: false });
  return promise;
}

/** Result of a streamed response. A failure is for the log; the client has been informed or cut off. */
export interface StreamResult {
  readonly failure: GitFailure | null;
}

/** Stops a command when its client disconnects. */
export function killOnClose(client: Writable, child: GitChild): void {
  client.on('error', () => child.kill());
  client.on('close', () => child.kill());
  if (client.destroyed) child.kill();
}

/**
 * Pipes a command's output to the client and ends it. If the command was stopped or killed, the connection is
 * destroyed, so that an incomplete response is not mistaken for a complete one.
 */
export async function pipeUntilExit(child: GitChild, client: Writable): Promise<StreamResult> {
  await pipeOutput(child.stdout, client);
  const exit = await child.done;
  if (exit.ok) {
    client.end();
    return { failure: null };
  }
  const { failure } = exit;
  // If git exited with a code, it has reported the error in its protocol.
  if (failure.kind === 'failed' && failure.code === null) client.destroy();
  else if (['stopped', 'timed-out', 'stack-overflow'].includes(failure.kind)) client.destroy();
  else client.end();
  return { failure };
}

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
