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

/** URL and version of the server that the document describes. */
export interface ApiServer {
  readonly url: string;
  readonly version: string;
}

/** Returns the document of all endpoints. It is one of `Services`, so that an endpoint can respond with it. */
export type DescribeApi = (server: ApiServer) => ApiDocument;
