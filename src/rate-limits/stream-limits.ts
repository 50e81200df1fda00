import { definePerGit, type Git } from '#git/git.ts';
import { getObjectInfo, MAX_BUFFERED_OBJECT, type StreamedObject, streamObject } from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { createConcurrencySlots } from './concurrency-slots.ts';

/** Slots for streams of large objects: each occupies a process for as long as its client likes. */
const slots = definePerGit((git) => createConcurrencySlots({ each: git.limits.streams / 2, all: git.limits.streams }));

/** The client that an object is streamed to. */
export interface StreamReceiver {
  readonly client: RequestClient;
  readonly clientAddress: string;
}

/**
 * Streams an object to a client. A large one occupies a slot of the client's network until its content is closed.
 * Returns null if there is no such object. Rejects with `QueueFull` if too many wait for a slot.
 */
export async function streamToClient(
  git: Git,
  repository: Repository,
  id: string,
  { client, clientAddress }: StreamReceiver,
): Promise<StreamedObject | null> {
  const info = await getObjectInfo(git, repository, id);
  if (info === null || info.size <= MAX_BUFFERED_OBJECT) return streamObject(git, repository, id);
  const leave = await slots(git).take(clientAddress, client);
  const object = await streamObject(git, repository, id).catch((error: unknown) => {
    leave();
    throw error;
  });
  if (object === null) leave();
  else object.content.once('close', leave);
  return object;
}
