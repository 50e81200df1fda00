import { request as httpRequest } from 'node:http';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import type { Server } from '#server.ts';

/** A request that has been let in and whose body is only half there. */
export interface Dripping {
  /** Sends the rest; gives the answer. */
  finish(): Promise<{ readonly status: number; readonly text: string }>;
}

interface Drops {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends the first half of a body and waits until the server has let its sender in: what happens from here on until
 * `finish` happens while the request is in flight.
 */
export async function dripping(
  { address, registry }: Server,
  method: string,
  path: string,
  { headers, body }: Drops,
): Promise<Dripping> {
  const endpoint = registry.find(method, path.split('?', 1)[0] ?? '')?.endpoint;
  if (endpoint === undefined) throw new Error(`Nobody answers ${method} ${path}`);
  const letIn = nextLetIn(endpoint);
  const request = httpRequest(address + path, { method, headers: { ...headers, 'Content-Length': body.length } });
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
  });
  const half = body.length >> 1;
  request.write(body.subarray(0, half));
  await Promise.race([letIn, answered]);
  return {
    finish() {
      request.end(body.subarray(half));
      return answered;
    },
  };
}

/** Resolves when the next call of this endpoint has passed its access. */
function nextLetIn({ access }: Endpoint): Promise<void> {
  const door = access as { authorize: Endpoint['access']['authorize'] };
  const { authorize } = door;
  return new Promise((resolve) => {
    door.authorize = async (call, found) => {
      door.authorize = authorize;
      await authorize(call, found);
      resolve();
    };
  });
}
