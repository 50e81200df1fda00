/** What stands in the place of a secret of this length. */
function createMask(length: number): Buffer {
  return Buffer.from('[MASKED]'.padEnd(length, 'x').slice(0, length));
}

interface SecretMasker {
  /**
   * The same bytes in which each of the secrets is overwritten by as many others, however it is spread over the pieces. What
   * may be the beginning of a secret is held back until more has come: fewer bytes than the longest has.
   */
  masked(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** When all pieces have passed: what is held back still, for it is how a secret begins. */
  readonly held: Buffer;
}

/** Hides secrets in what flows by. `before` was held back of what went before it, and comes first. */
export function createSecretMasker(secrets: readonly string[], before: Buffer): SecretMasker {
  const wanted = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret));
  const most = Math.max(0, ...wanted.map((secret) => secret.length - 1));
  let held = before;
  return {
    async *masked(pieces) {
      for await (const piece of pieces) {
        const bytes = Buffer.concat([held, piece]);
        for (const secret of wanted) overwrite(bytes, secret);
        const ready = Math.max(0, bytes.length - most);
        held = bytes.subarray(ready);
        if (ready > 0) yield bytes.subarray(0, ready);
      }
      const last = held;
      const begun = Math.max(0, ...wanted.map((secret) => partialMatchLength(last, secret)));
      held = last.subarray(last.length - begun);
      if (last.length > begun) yield last.subarray(0, last.length - begun);
    },
    get held() {
      return held;
    },
  };
}

function overwrite(bytes: Buffer, secret: Buffer): void {
  const mask = createMask(secret.length);
  for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + secret.length)) mask.copy(bytes, at);
}

/** How many of the last bytes are the first ones of the secret, though not all of it. */
function partialMatchLength(bytes: Buffer, secret: Buffer): number {
  let length = Math.min(bytes.length, secret.length - 1);
  while (length > 0 && !bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) length--;
  return length;
}
