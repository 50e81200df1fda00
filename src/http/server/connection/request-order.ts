import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A queue of pipelined requests: those received before the response to an earlier request on the same connection was
 * sent. Node emits them at once, and does not report the end of the connection to waiting ones. So each request starts
 * after the previous response, and waiting requests are dropped with their connection.
 */
export interface RequestQueue {
  /** Queues a request that must wait and returns true; returns false if it can start now. */
  enqueue(raw: IncomingMessage, response: ServerResponse): boolean;
  /** Starts the next request after a response on this connection was sent, or was given up. */
  startNext(connection: Socket): void;
}

/** Maximum number of waiting requests; connections with more are closed. */
const MAX_PIPELINED = 100;

type StartRequest = (raw: IncomingMessage, response: ServerResponse) => void;

export function createRequestQueue(start: StartRequest): RequestQueue {
  const waitingBySocket = new Map<Socket, Parameters<StartRequest>[]>();
  return {
    enqueue(raw, response) {
      // Node assigns the socket to a response when it is the next to be sent.
      if (response.socket !== null) return false;
      const queue = waitingBySocket.get(raw.socket) ?? [];
      waitingBySocket.set(raw.socket, queue);
      queue.push([raw, response]);
      if (queue.length > MAX_PIPELINED) raw.socket.destroy();
      return true;
    },
    startNext(connection) {
      const next = waitingBySocket.get(connection)?.shift();
      if (next === undefined || connection.destroyed) waitingBySocket.delete(connection);
      else start(...next);
    },
  };
}
