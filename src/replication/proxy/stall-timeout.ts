import type { Socket } from 'node:net';

interface Watched {
  /** Those on which anything may come or go. */
  readonly sockets: () => readonly (Socket | null | undefined)[];
  /** How long nothing may come or go, in milliseconds, as things stand. */
  readonly patience: () => number;
  /** How often it is looked at, in milliseconds: what is waited for may change in between. */
  readonly every: number;
  readonly stalled: () => void;
}

/** Tells when nothing has come or gone for too long: whoever says nothing, or takes nothing, holds a place and two connections. */
export function watchProgress({ sockets, patience, every, stalled }: Watched): { end(): void } {
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
    const left = patience() - (performance.now() - since);
    if (left <= 0) stalled();
    else timer = setTimeout(look, Math.max(MOMENT, Math.min(left, every)));
  };
  timer = setTimeout(look, every);
  return { end: () => clearTimeout(timer) };
}

const MOMENT = 10;
