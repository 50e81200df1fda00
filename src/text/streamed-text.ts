import type { Readable } from 'node:stream';

/**
 * A text of a response that is encoded while it is sent, at the pace of the client. A response contains at most one, outside
 * of lists. It is discarded with the response.
 */
export class StreamedText {
  /** Identifies the text, in place of its characters. */
  readonly id: string;
  readonly #content: Readable;

  constructor(id: string, content: Readable) {
    this.id = id;
    this.#content = content;
    // The reader of the chunks gets the error.
    content.on('error', () => undefined);
  }

  /** Yields the Base64 of the content. */
  async *chunks(): AsyncGenerator<string> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#content as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % 3);
      if (whole > 0) yield bytes.toString('base64', 0, whole);
      rest = bytes.subarray(whole);
    }
    if (rest.length > 0) yield rest.toString('base64');
  }

  discard(): void {
    this.#content.destroy();
  }
}
