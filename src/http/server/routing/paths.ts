import type { Endpoint } from '#http/endpoint/endpoint.ts';

/** The paths that endpoints declare, `/projects/:id/jobs/:job_id/artifacts/*path`, and their parameters. */

export const API_PREFIX = '/api/v4';

/** Returns the path of an endpoint with its prefix, `/api/v4/projects/:id`. */
export function getFullPath(endpoint: Pick<Endpoint, 'outsideApi' | 'path'>): string {
  return endpoint.outsideApi ? endpoint.path : `${API_PREFIX}${endpoint.path}`;
}

/** A parameter in the path of an endpoint: `/users/:id(^\\d+$)/keys`, `/artifacts/*path`. */
export interface PathParameter {
  readonly name: string;
  /** Regular expression that the segment must match, `^\\d+$`. */
  readonly pattern: string | undefined;
  /** Whether the parameter matches the rest of the path, slashes included. */
  readonly matchesRest: boolean;
}

/** A parameter in a path: its name with an optional expression, whose parentheses may nest once. */
const PARAMETER_PATTERN = /([:*])(\w+)(?:\(((?:[^()]|\((?:[^()])*\))*)\))?/g;

/** Returns the parameters of a path in their order. */
export function parsePathParameters(path: string): PathParameter[] {
  return [...path.matchAll(PARAMETER_PATTERN)].map(([, sign, name = '', pattern]) => ({
    name,
    pattern,
    matchesRest: sign === '*',
  }));
}

export function listPathParameterNames(path: string): string[] {
  return parsePathParameters(path).map(({ name }) => name);
}

/** Replaces each parameter of a path by a text, for example `{id}`. */
export function replaceParameters(path: string, toText: (parameter: PathParameter, index: number) => string): string {
  let index = 0;
  return path.replace(PARAMETER_PATTERN, (_all, sign: string, name: string, pattern?: string) =>
    toText({ name, pattern, matchesRest: sign === '*' }, index++),
  );
}
