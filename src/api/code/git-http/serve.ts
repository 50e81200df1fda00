import { PassThrough, type Readable } from 'node:stream';
import { type Git, ownedBy } from '#git/git.ts';
import type { Service } from '#git/transport/advertise-refs.ts';
import type { Incoming } from '#http/request/incoming.ts';
import { createPlaces } from '#rate-limits/concurrency-slots.ts';
import type { Log } from '#runtime/log.ts';

/** git processes that serve clients: each takes memory, and lasts as long as its client takes. */
const places = ownedBy(() => createPlaces({ each: 32, all: 128 }));

interface Serving {
  readonly request: Incoming;
  readonly git: Git;
  readonly log: Log;
}

/**
 * The answer of git while it is made: it flows at the client's pace, and breaks off when its making fails. Begins when
 * the client has a place, which it keeps until all is done.
 */
export async function served(
  { request, git, log }: Serving,
  make: (output: PassThrough) => Promise<unknown>,
): Promise<Readable> {
  const leave = await places(git).take(request.clientAddress, request.client);
  const output = new PassThrough();
  const serving = make(output).catch((error: unknown) => {
    if (!request.client.gone) log.error({ request: request.id, err: error }, 'A git client could not be served');
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  serving.finally(leave);
  return output;
}

/** Those of what a service says of itself, or answers. */
export function headersOf(service: Service, kind: 'advertisement' | 'result'): Record<string, string> {
  return {
    'Content-Type': `application/x-${service}-${kind}`,
    'Cache-Control': 'no-cache',
    Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    Pragma: 'no-cache',
  };
}
