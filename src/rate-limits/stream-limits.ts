import { type Git, ownedBy } from '#git/git.ts';
import { objectInfo, SMALL_OBJECT, type StreamedObject, streamObject } from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import type { Client } from '#runtime/concurrency-limiter.ts';
import { createPlaces } from './concurrency-slots.ts';

/** Large objects that flow to clients: each takes a process for as long as its client likes. */
const places = ownedBy((git) => createPlaces({ each: git.limits.streams / 2, all: git.limits.streams }));

/** To whom an object flows. */
export interface Receiver {
  readonly client: Client;
  readonly clientAddress: string;
}

/**
 * An object whose content flows to this client, who keeps one of the places of his network for a large one until
 * that is closed. Null when there is none. Fails with `QueueFull` when too many wait for a place already.
 */
export async function streamToClient(
  git: Git,
  repository: Repository,
  id: string,
  { client, clientAddress }: Receiver,
): Promise<StreamedObject | null> {
  const info = await objectInfo(git, repository, id);
  if (info === null || info.size <= SMALL_OBJECT) return streamObject(git, repository, id);
  const leave = await places(git).take(clientAddress, client);
  const object = await streamObject(git, repository, id).catch((error: unknown) => {
    leave();
    throw error;
  });
  if (object === null) leave();
  else object.content.once('close', leave);
  return object;
}
