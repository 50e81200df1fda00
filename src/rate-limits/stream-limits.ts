import { definePerGit, type Git } from '#git/git.ts';
import {
  getObjectInfo,
  MAX_BUFFERED_OBJECT,
  readObject,
  type StreamedObject,
  streamObject,
} from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { StreamedText } from '#text/streamed-text.ts';
import { createConcurrencySlots } from './concurrency-slots.ts';

/** Slots for streams of large objects: each occupies a git process until its client has read everything. */
const slots = definePerGit((git) =>
  createConcurrencySlots({ perNetwork: git.limits.maxStreams / 2, total: git.limits.maxStreams }),
);

/**
 * Streams an object to a client. A large one occupies a slot of the client's network until its content is closed.
 * Returns null if there is no such object. Rejects with `QueueFull` if too many wait for a slot.
 */
export async function openStreamForClient(
  git: Git,
  repository: Repository,
  id: string,
  client: RequestClient,
): Promise<StreamedObject | null> {
  const info = await getObjectInfo(git, repository, id);
  if (info === null || info.size <= MAX_BUFFERED_OBJECT) return streamObject(git, repository, id);
  const releaseSlot = await slots(git).take(client.network, client);
  const object = await streamObject(git, repository, id).catch((error: unknown) => {
    releaseSlot();
    throw error;
  });
  if (object === null) releaseSlot();
  else object.content.once('close', releaseSlot);
  return object;
}

/** Returns the content of a blob for JSON. A large one is encoded while it is sent. A missing blob is empty. */
export async function readContentForJson(git: Git, repository: Repository, id: string): Promise<Buffer | StreamedText> {
  const info = await getObjectInfo(git, repository, id);
  if (git.client === null || info === null || info.size <= MAX_BUFFERED_OBJECT)
    return (await readObject(git, repository, id))?.content ?? Buffer.alloc(0);
  const object = await openStreamForClient(git, repository, id, git.client);
  return object === null ? Buffer.alloc(0) : new StreamedText(id, object.content);
}

/** Returns Base64 for an entity, which passes a streamed text on as it is. */
export function toBase64(content: Buffer | StreamedText): string {
  return content instanceof StreamedText ? (content as unknown as string) : content.toString('base64');
}
