/** This server's API as an OpenAPI 3.1 document (contract/conventions.md §10). */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: { url: string }[];
  readonly tags: { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json;
}

export type Json = Readonly<Record<string, unknown>>;

/** What the document says of the server that hands it out. */
export interface DescribedServer {
  readonly url: string;
  readonly version: string;
}

/** Describes all endpoints of this process: a room, so that an endpoint can show what is made of all of them. */
export type DescribeApi = (server: DescribedServer) => ApiDocument;
