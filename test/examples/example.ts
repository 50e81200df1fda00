import type { EndpointDefinition } from '#http/endpoint/endpoint.ts';
import type { Scene } from './scene.ts';

// An example is one valid call of an endpoint in a prepared scene. The permission matrix, fuzzing and the activity test use them.

/** The callers, from anonymous to administrator; roles are inherited from the scene's group. */
export const CALLERS = [
  'anonymous',
  'stranger',
  'guest',
  'planner',
  'reporter',
  'developer',
  'maintainer',
  'owner',
  'administrator',
] as const;

export type CallerName = (typeof CALLERS)[number];

export interface Example {
  /** The first caller in `CALLERS` who is allowed to make the call in the private scene. */
  readonly by: CallerName;
  /** A value for each parameter of the path, not yet encoded. */
  readonly path?: Readonly<Record<string, string | number>>;
  /** In the query of a read, in the body of a write. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** A raw body instead of `params`. */
  readonly raw?: Buffer | string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The credential, if it is not the caller's token: `basic` as git sends it, `spare` for a token of the caller that the call may
   * revoke, or another token.
   */
  readonly proof?: 'basic' | 'spare' | { readonly token: string };
}

/** Creates the data that the call changes or deletes, so that the scene stays unchanged. */
export type Build = (scene: Scene) => Example | Promise<Example>;

/** The permission matrix uses the first; further ones make the calls that record other activity. */
export type Builds = Build | readonly [Build, ...Build[]];

/** `export const examples: Examples<typeof endpoints>`: it does not compile if an endpoint is missing or unknown. */
export type Examples<Module> = {
  readonly [Name in keyof Module as Module[Name] extends EndpointDefinition ? Name : never]: Builds;
};
