import type { Socket } from 'node:net';

interface StallTimeoutOptions {
  /** The sockets that are watched. */
  readonly sockets: () => readonly (Socket | null | undefined)[];
  /** Current time limit without any traffic, in milliseconds. */
  readonly timeoutMs: () => number;
  /** Check interval in milliseconds: the time limit may change. */
  readonly intervalMs: number;
  readonly onStall: () => void;
}

/**
 * Calls `onStall` when the sockets have transferred nothing for too long: a stalled client occupies a slot and two
 * connections.
 */
export function startStallTimeout({ sockets, timeoutMs, intervalMs, onStall }: StallTimeoutOptions): { end(): void } {
  const passed = () =>
    sockets().reduce((sum, socket) => sum + (socket ? socket.bytesRead + socket.bytesWritten : 0), 0);
  let timer: NodeJS.Timeout;
  let seen = passed();
  let since = performance.now();
  const look = () => {
    const now = passed();
    if (now !== seen) {
      seen = now;
      since = performance.now();
    }
    const left = timeoutMs() - (performance.now() - since);
    if (left <= 0) onStall();
    else timer = setTimeout(look, Math.max(MIN_INTERVAL_MS, Math.min(left, intervalMs)));
  };
  timer = setTimeout(look, intervalMs);
  return { end: () => clearTimeout(timer) };
}

const MIN_INTERVAL_MS = 10;
