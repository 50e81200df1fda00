import type { Readable } from 'node:stream';

/**
 * Content of a JSON response that is encoded as Base64 while it is sent, at the client's pace. A response contains at most
 * one, and none in lists. It is discarded with the response.
 */
export class StreamedText {
  /** Identifies the text, in place of its characters. */
  readonly id: string;
  readonly #content: Readable;

  constructor(id: string, content: Readable) {
    this.id = id;
    this.#content = content;
    // Prevents an uncaught exception: the reader of the chunks gets the error.
    content.on('error', () => undefined);
  }

  /** Yields the Base64 of the content in chunks. */
  async *chunks(): AsyncGenerator<string> {
    let remainder: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#content as AsyncIterable<Buffer>) {
      const bytes = remainder.length === 0 ? chunk : Buffer.concat([remainder, chunk]);
      // Only multiples of three bytes are encoded without padding.
      const encodableLength = bytes.length - (bytes.length % 3);
      if (encodableLength > 0) yield bytes.toString('base64', 0, encodableLength);
      remainder = bytes.subarray(encodableLength);
    }
    if (remainder.length > 0) yield remainder.toString('base64');
  }

  discard(): void {
    this.#content.destroy();
  }
}
