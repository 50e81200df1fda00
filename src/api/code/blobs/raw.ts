import type { StreamedObject } from '#git/objects/object-reader.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { detectContentType, NO_STORE_HEADERS, peekStart } from '#repositories/raw-content.ts';

/** Returns the bytes of a blob, never with an executable media type. A blob has no file name. */
export async function createRawBlobReply({ content, size }: StreamedObject): Promise<StreamReply> {
  return {
    headers: {
      'Content-Type': detectContentType(await peekStart(content, size), size),
      'Content-Length': String(size),
      'Content-Disposition': 'inline',
      ...NO_STORE_HEADERS,
    },
    body: content,
  };
}
