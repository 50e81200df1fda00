/** Returns the mask for a secret of this length. */
function createMask(length: number): Buffer {
  return Buffer.from('[MASKED]'.padEnd(length, 'x').slice(0, length));
}

interface SecretMasker {
  /**
   * Yields the bytes with each secret replaced by a mask of the same length, even if it spans several chunks. Holds
   * back a possible start of a secret until more bytes arrive: fewer bytes than the longest secret has.
   */
  masked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** After all chunks: the bytes still held back, as a possible start of a secret. */
  readonly heldBack: Buffer;
}

/** Masks secrets in a stream. `before`: the bytes held back from the previous stream, which come first. */
export function createSecretMasker(secrets: readonly string[], before: Buffer): SecretMasker {
  const wanted = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret));
  const maxHeldBytes = Math.max(0, ...wanted.map((secret) => secret.length - 1));
  let heldBytes = before;
  return {
    async *masked(chunks) {
      for await (const chunk of chunks) {
        const bytes = Buffer.concat([heldBytes, chunk]);
        for (const secret of wanted) overwrite(bytes, secret);
        const readyBytes = Math.max(0, bytes.length - maxHeldBytes);
        heldBytes = bytes.subarray(readyBytes);
        if (readyBytes > 0) yield bytes.subarray(0, readyBytes);
      }
      const last = heldBytes;
      const partialLength = Math.max(0, ...wanted.map((secret) => partialMatchLength(last, secret)));
      heldBytes = last.subarray(last.length - partialLength);
      if (last.length > partialLength) yield last.subarray(0, last.length - partialLength);
    },
    get heldBack() {
      return heldBytes;
    },
  };
}

function overwrite(bytes: Buffer, secret: Buffer): void {
  const mask = createMask(secret.length);
  for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + secret.length)) mask.copy(bytes, at);
}

/** Returns how many of the last bytes are an incomplete start of the secret. */
function partialMatchLength(bytes: Buffer, secret: Buffer): number {
  let length = Math.min(bytes.length, secret.length - 1);
  while (length > 0 && !bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) length--;
  return length;
}
