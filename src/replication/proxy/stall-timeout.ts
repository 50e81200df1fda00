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
 * Calls `onStall` when the sockets have transferred nothing for `timeoutMs`, because a stalled client occupies a slot and two
 * connections. `end` stops the checks.
 */
export function startStallTimeout({ sockets, timeoutMs, intervalMs, onStall }: StallTimeoutOptions): { end(): void } {
  const countBytes = () =>
    sockets().reduce((sum, socket) => sum + (socket ? socket.bytesRead + socket.bytesWritten : 0), 0);
  let timer: NodeJS.Timeout;
  let lastByteCount = countBytes();
  let lastTransferAt = performance.now();
  const check = () => {
    const byteCount = countBytes();
    if (byteCount !== lastByteCount) {
      lastByteCount = byteCount;
      lastTransferAt = performance.now();
    }
    const remainingMs = timeoutMs() - (performance.now() - lastTransferAt);
    if (remainingMs <= 0) onStall();
    else timer = setTimeout(check, Math.max(MIN_INTERVAL_MS, Math.min(remainingMs, intervalMs)));
  };
  timer = setTimeout(check, intervalMs);
  return { end: () => clearTimeout(timer) };
}

/** Minimum time between two checks. */
const MIN_INTERVAL_MS = 10;
