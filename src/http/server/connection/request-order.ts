import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that came on one connection before the answer to an earlier one was out. Node hands them over at once, and
 * says nothing of those whose connection ends before their turn: work on them would never be called off. So each begins
 * when the answer before it is out, and with the connection those that wait are forgotten.
 */
export interface Turns {
  /** Whether a request has to wait: then it is begun later, or never. */
  waits(raw: IncomingMessage, response: ServerResponse): boolean;
  /** An answer on this connection is out, or will never be. */
  passed(connection: Socket): void;
}

/** Nobody who means well has so many questions before he hears the first answer. */
const MOST = 100;

type Begin = (raw: IncomingMessage, response: ServerResponse) => void;

export function createTurns(begin: Begin): Turns {
  const waiting = new Map<Socket, Parameters<Begin>[]>();
  return {
    waits(raw, response) {
      // Node gives an answer its connection when its turn has come.
      if (response.socket !== null) return false;
      const before = waiting.get(raw.socket) ?? [];
      waiting.set(raw.socket, before);
      before.push([raw, response]);
      if (before.length > MOST) raw.socket.destroy();
      return true;
    },
    passed(connection) {
      const next = waiting.get(connection)?.shift();
      if (next === undefined || connection.destroyed) waiting.delete(connection);
      else begin(...next);
    },
  };
}
