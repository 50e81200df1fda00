import type { StreamedObject } from '#git/objects/object-reader.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { contentType, headOf, NOT_KEPT } from '#repositories/raw-content.ts';

/** The bytes of a blob, never as an active type; a blob has no name to offer. */
export async function rawBlob({ content, size }: StreamedObject): Promise<StreamReply> {
  return {
    headers: {
      'Content-Type': contentType(await headOf(content, size), size),
      'Content-Length': String(size),
      'Content-Disposition': 'inline',
      ...NOT_KEPT,
    },
    body: content,
  };
}
