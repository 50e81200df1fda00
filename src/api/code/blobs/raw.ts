import { once } from 'node:events';
import type { StreamedObject } from '../../../git/objects.ts';
import type { StreamReply } from '../../../http/endpoint/answers.ts';
import { contentType } from '../../../repositories/raw-content.ts';

/** The bytes of a blob, never as an active type; a blob has no name to offer. */
export async function rawBlob({ content, size }: StreamedObject): Promise<StreamReply> {
  return {
    headers: {
      'Content-Type': contentType(await headOf(content, size), size),
      'Content-Length': String(size),
      'Content-Disposition': 'inline',
      'Cache-Control': 'max-age=0, private, must-revalidate, no-store, no-cache',
      Expires: 'Fri, 01 Jan 1990 00:00:00 GMT',
    },
    body: content,
  };
}

/** The first bytes, which stay in the stream. */
async function headOf(content: StreamedObject['content'], size: number): Promise<Uint8Array> {
  if (size === 0) return Buffer.alloc(0);
  if (content.readableLength === 0) await once(content, 'readable');
  const head = content.read() as Buffer | null;
  if (head !== null) content.unshift(head);
  return head ?? Buffer.alloc(0);
}
