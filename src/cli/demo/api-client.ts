/** A caller of the API of the demo's server. */
export interface ApiClient {
  readonly token: string;
  // biome-ignore lint/suspicious/noExplicitAny: the demo reads few fields of many responses
  request(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<any>;
}

/** Creates a caller with a personal access token. A response that is not a success throws. */
export function createApiClient(address: string, token: string): ApiClient {
  return {
    token,
    async request(method, path, body, headers = {}) {
      const response = await fetch(`${address}/api/v4${path}`, {
        method,
        headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`The demo failed: ${method} ${path} answered ${response.status}: ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
  };
}
