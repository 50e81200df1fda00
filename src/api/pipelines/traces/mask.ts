/** What stands in the place of a secret of this length. */
function maskOf(length: number): Buffer {
  return Buffer.from('[MASKED]'.padEnd(length, 'x').slice(0, length));
}

/**
 * The same bytes in which each of the secrets is overwritten by as many others, however it is spread over the pieces.
 * What may be the beginning of a secret is held back until more has come: fewer bytes than the longest has.
 */
export async function* masked(pieces: AsyncIterable<Buffer>, secrets: readonly string[]): AsyncGenerator<Buffer> {
  const wanted = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret));
  const most = Math.max(0, ...wanted.map((secret) => secret.length - 1));
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([held, piece]);
    for (const secret of wanted) overwrite(bytes, secret);
    const ready = Math.max(0, bytes.length - most);
    held = bytes.subarray(ready);
    if (ready > 0) yield bytes.subarray(0, ready);
  }
  if (held.length > 0) yield held;
}

function overwrite(bytes: Buffer, secret: Buffer): void {
  const mask = maskOf(secret.length);
  for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + secret.length)) mask.copy(bytes, at);
}
