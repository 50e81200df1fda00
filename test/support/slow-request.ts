import { request as httpRequest } from 'node:http';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import type { Server } from '#server.ts';

/** A request that passed authorization and has sent half of its body. */
export interface PartialRequest {
  /** Sends the rest of the body and returns the response. */
  finish(): Promise<{ readonly status: number; readonly text: string }>;
}

interface PartialRequestInput {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends the first half of a body and waits until the server has authorized the request.
 * The request stays in flight until `finish`.
 */
export async function startPartialRequest(
  { address, registry }: Server,
  method: string,
  path: string,
  { headers, body }: PartialRequestInput,
): Promise<PartialRequest> {
  const endpoint = registry.find(method, path.split('?', 1)[0] ?? '')?.endpoint;
  if (endpoint === undefined) throw new Error(`No endpoint matches ${method} ${path}`);
  const letIn = nextAuthorizedCall(endpoint);
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

/** Resolves when the next call of this endpoint has passed authorization. */
function nextAuthorizedCall({ access }: Endpoint): Promise<void> {
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
