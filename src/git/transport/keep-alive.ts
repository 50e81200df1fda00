import type { Readable, Writable } from 'node:stream';

/** A packet of band 1 without data, as git itself sends it. */
const KEEP_ALIVE = Buffer.from('0005\x01', 'latin1');

/** Milliseconds without output after which a waiting client gets a packet: networks drop silent connections. */
const KEEP_ALIVE_MS = 5_000;

interface KeepAliveOptions {
  /** The output of git in packets. */
  readonly stdout: Readable;
  readonly client: Writable;
  /** The body of the request. Nothing is sent before its end, because clients read the response afterwards. */
  readonly input: Readable;
  readonly intervalMs?: number | undefined;
}

/** Sends packets to the client of a push while git sends nothing. Returns a function that stops this. */
export function sendKeepAlives({ stdout, client, input, intervalMs = KEEP_ALIVE_MS }: KeepAliveOptions): () => void {
  const packets = createPacketTracker();
  let isIdle = false;
  stdout.prependListener('data', (chunk: Buffer) => {
    isIdle = false;
    packets.add(chunk);
  });
  const timer = setInterval(() => {
    if (isIdle && input.readableEnded && packets.isBetweenPackets() && !client.destroyed && !client.writableNeedDrain)
      client.write(KEEP_ALIVE);
    isIdle = true;
  }, intervalMs);
  return () => clearInterval(timer);
}

/** Follows the packets of a stream. Another packet may be inserted only between two of them. */
function createPacketTracker() {
  let header = '';
  let remainingBytes = 0;
  let hasEnded = false;
  return {
    add(chunk: Buffer): void {
      for (let offset = 0; offset < chunk.length; ) {
        if (remainingBytes > 0) {
          const skipped = Math.min(remainingBytes, chunk.length - offset);
          remainingBytes -= skipped;
          offset += skipped;
          continue;
        }
        const taken = Math.min(4 - header.length, chunk.length - offset);
        header += chunk.toString('latin1', offset, offset + taken);
        offset += taken;
        if (header.length < 4) return;
        const length = Number.parseInt(header, 16);
        header = '';
        // A flush packet ends the result.
        if (length >= 4) remainingBytes = length - 4;
        else hasEnded = true;
      }
    },
    isBetweenPackets: () => remainingBytes === 0 && header === '' && !hasEnded,
  };
}
