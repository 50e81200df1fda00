/** The OpenAPI 3.1 document of this server (contract/conventions.md §10). */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: { url: string }[];
  readonly tags: { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json;
}

export type Json = Readonly<Record<string, unknown>>;

/** The server, for the document. */
export interface ApiServer {
  readonly url: string;
  readonly version: string;
}

/** Builds the document of all endpoints of this process. A service, so that an endpoint can return it. */
export type DescribeApi = (server: ApiServer) => ApiDocument;
