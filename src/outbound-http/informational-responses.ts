import type { ClientRequest } from 'node:http';

/** Maximum number of 1xx responses before the final response; Node itself has no limit. */
const MAX_INFORMATIONAL_RESPONSES = 20;

/** Calls `tooMany` when a server sends too many 1xx responses. */
export function limitInformationalResponses(request: ClientRequest, tooMany: () => void): void {
  let informationalCount = 0;
  request.on('information', () => {
    informationalCount += 1;
    if (informationalCount === MAX_INFORMATIONAL_RESPONSES + 1) tooMany();
  });
}
