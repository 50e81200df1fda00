/** Returns the mask for a secret of this length. */
function createMask(length: number): Buffer {
  return Buffer.from('[MASKED]'.padEnd(length, 'x').slice(0, length));
}

interface SecretMasker {
  /**
   * Yields the bytes with each secret replaced by a mask of the same length, even if it spans several chunks. Holds
   * back a possible start of a secret until more bytes arrive: fewer bytes than the longest secret has.
   */
  maskChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** The bytes still held back after all chunks: a possible start of a secret. */
  readonly heldBytes: Buffer;
}

/**
 * Returns a masker for one stream. `previousHeldBytes`: bytes held back from the previous stream, which this stream
 * starts with.
 */
export function createSecretMasker(secrets: readonly string[], previousHeldBytes: Buffer): SecretMasker {
  const secretBuffers = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret));
  const maxHeldBytes = Math.max(0, ...secretBuffers.map((secret) => secret.length - 1));
  let heldBytes = previousHeldBytes;
  return {
    async *maskChunks(chunks) {
      for await (const chunk of chunks) {
        const bytes = Buffer.concat([heldBytes, chunk]);
        for (const secret of secretBuffers) maskInPlace(bytes, secret);
        const readyBytes = Math.max(0, bytes.length - maxHeldBytes);
        heldBytes = bytes.subarray(readyBytes);
        if (readyBytes > 0) yield bytes.subarray(0, readyBytes);
      }
      const remainingBytes = heldBytes;
      const partialLength = Math.max(
        0,
        ...secretBuffers.map((secret) => getPartialMatchLength(remainingBytes, secret)),
      );
      heldBytes = remainingBytes.subarray(remainingBytes.length - partialLength);
      if (remainingBytes.length > partialLength)
        yield remainingBytes.subarray(0, remainingBytes.length - partialLength);
    },
    get heldBytes() {
      return heldBytes;
    },
  };
}

/** Masks all occurrences of the secret in place. */
function maskInPlace(bytes: Buffer, secret: Buffer): void {
  const mask = createMask(secret.length);
  for (let index = bytes.indexOf(secret); index !== -1; index = bytes.indexOf(secret, index + secret.length))
    mask.copy(bytes, index);
}

/** Returns the length of the longest incomplete start of the secret at the end of the bytes. */
function getPartialMatchLength(bytes: Buffer, secret: Buffer): number {
  let length = Math.min(bytes.length, secret.length - 1);
  while (length > 0 && !bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) length--;
  return length;
}
