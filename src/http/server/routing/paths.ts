/** Reading the paths that endpoints declare: `/users/:id(^\\d+$)/keys`, `/artifacts/*path`. */

export interface PathParameter {
  readonly name: string;
  /** The expression that the segment must match, `^\\d+$`. */
  readonly pattern?: string;
  /** The rest of the path, slashes included. */
  readonly rest: boolean;
}

/** A name, and the expression behind it, whose own parentheses may nest once. */
const PARAMETER = /([:*])(\w+)(?:\(((?:[^()]|\((?:[^()])*\))*)\))?/g;

export function pathParameters(path: string): PathParameter[] {
  return [...path.matchAll(PARAMETER)].map(([, sign, name = '', pattern]) => ({ name, pattern, rest: sign === '*' }));
}

export function pathNames(path: string): string[] {
  return pathParameters(path).map(({ name }) => name);
}

/** The path with another text in the place of each parameter: `{id}`, say, or nothing. */
export function replaceParameters(path: string, text: (parameter: PathParameter, index: number) => string): string {
  let index = 0;
  return path.replace(PARAMETER, (_all, sign: string, name: string, pattern?: string) =>
    text({ name, pattern, rest: sign === '*' }, index++),
  );
}
