import { PassThrough, type Readable } from 'node:stream';
import { definePerGit, type Git } from '#git/git.ts';
import type { GitService } from '#git/transport/upload-pack.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import type { Log } from '#runtime/log.ts';

/** Limits git processes that serve clients: each takes memory and lasts as long as its client. */
const gitProcessSlots = definePerGit(() => createConcurrencySlots({ perNetwork: 32, total: 128 }));

interface GitRequestContext {
  readonly request: IncomingRequest;
  readonly git: Git;
  readonly log: Log;
}

/**
 * Returns a stream of git's output at the client's pace, which is destroyed if git fails. Waits for a free slot and holds
 * it until git ends.
 */
export async function streamGitResponse(
  { request, git, log }: GitRequestContext,
  runGit: (output: PassThrough) => Promise<unknown>,
): Promise<Readable> {
  const release = await gitProcessSlots(git).take(request.clientAddress, request.client);
  const output = new PassThrough();
  output.on('error', () => undefined);
  const serving = runGit(output).catch((error: unknown) => {
    if (!request.client.isDisconnected) log.error({ request: request.id, err: error }, 'Cannot serve a git request');
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  serving.finally(release);
  return output;
}

/** Returns the headers of a ref advertisement or a result. */
export function createGitHeaders(service: GitService, kind: 'advertisement' | 'result'): Record<string, string> {
  return {
    'Content-Type': `application/x-${service}-${kind}`,
    'Cache-Control': 'no-cache',
    Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    Pragma: 'no-cache',
  };
}
