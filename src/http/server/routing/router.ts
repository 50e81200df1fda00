import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getFullPath, type PathParameter, parsePathParameters, replaceParameters } from './paths.ts';

/** An endpoint with the values of the parameters in the path of a request. */
export interface RouteMatch {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
}

/** The maximum length of the value of a parameter, undecoded. */
const MAX_VALUE_LENGTH = 8192;

/**
 * Finds the endpoint of a method and a raw path. Paths are compared segment by segment: a fixed segment goes before a
 * parameter with an expression, this before other parameters, and these before the rest of a path. Segments are split before
 * they are decoded, so `%2F` is part of a value.
 */
export class Router {
  readonly #root = createNode();
  /** The most specific route first. */
  readonly #suffixRoutes: SuffixRoute[] = [];

  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints) {
      // `/groups/*group/-/issues` is below `/groups/*group`, so the part after the group distinguishes both.
      if (endpoint.outsideApi && endpoint.path.includes('/*')) this.#suffixRoutes.push(toSuffixRoute(endpoint));
      else this.#add(endpoint, getFullPath(endpoint));
    }
    this.#suffixRoutes.sort((a, b) => b.literalCount - a.literalCount);
  }

  /** Returns null if no endpoint has this method and path. `acceptsHtml` includes endpoints with `htmlOnly`. */
  find(method: string, path: string, acceptsHtml: boolean): RouteMatch | null {
    return this.#findBySegments(method, path, acceptsHtml) ?? this.#findBySuffix(method, path, acceptsHtml);
  }

  #add(endpoint: Endpoint, path: string): void {
    const names = parsePathParameters(path).map(({ name }) => name);
    let node = this.#root;
    for (const segment of path.split('/').slice(1)) {
      const [parameter] = parsePathParameters(segment);
      if (parameter?.matchesRest) {
        node.restTargets.set(endpoint.method, { endpoint, names });
        return;
      }
      node = getOrAddChild(node, segment, parameter);
    }
    node.targets.set(endpoint.method, { endpoint, names });
    // A path declared with a trailing slash is also served without it.
    if (path.length > 1 && path.endsWith('/')) this.#add(endpoint, path.slice(0, -1));
  }

  #findBySegments(method: string, path: string, acceptsHtml: boolean): RouteMatch | null {
    if (!path.startsWith('/')) return null;
    const rawSegments = path.split('/').slice(1);
    const segments: string[] = [];
    for (const raw of rawSegments) {
      const segment = raw.includes('%') ? decodePathValue(raw) : raw;
      if (segment === null) return null;
      segments.push(segment);
    }
    return findBelow(this.#root, 0, { method, acceptsHtml, segments, rawSegments, values: [] });
  }

  #findBySuffix(method: string, path: string, acceptsHtml: boolean): RouteMatch | null {
    for (const { endpoint, pattern, names } of this.#suffixRoutes) {
      if (endpoint.method !== method || (endpoint.htmlOnly && !acceptsHtml)) continue;
      const match = pattern.exec(path);
      if (match === null) continue;
      const values = names.map((name, index) => [name, decodePathValue(match[index + 1] ?? '')] as const);
      if (values.every(([, value]) => value !== null))
        return { endpoint, path: Object.fromEntries(values) as RouteMatch['path'] };
    }
    return null;
  }
}

/** A position in the tree of routes, after some segments. */
interface RouteNode {
  readonly fixedChildren: Map<string, RouteNode>;
  /** Parameters with an expression, whose segment may begin with fixed text: `archive:suffix(^\\.zip$)`. */
  readonly patternChildren: {
    readonly segment: string;
    readonly prefix: string;
    readonly pattern: RegExp;
    readonly node: RouteNode;
  }[];
  parameterChild: RouteNode | null;
  /** The routes that end here, by method. */
  readonly targets: Map<string, RouteTarget>;
  /** The routes whose last parameter matches the rest of the path, by method. */
  readonly restTargets: Map<string, RouteTarget>;
}

interface RouteTarget {
  readonly endpoint: Endpoint;
  /** The names of the parameters, in the order of the path. */
  readonly names: readonly string[];
}

function createNode(): RouteNode {
  return {
    fixedChildren: new Map(),
    patternChildren: [],
    parameterChild: null,
    targets: new Map(),
    restTargets: new Map(),
  };
}

function getOrAddChild(parent: RouteNode, segment: string, parameter: PathParameter | undefined): RouteNode {
  if (parameter === undefined) {
    const existing = parent.fixedChildren.get(segment) ?? createNode();
    parent.fixedChildren.set(segment, existing);
    return existing;
  }
  if (parameter.pattern === undefined) return (parent.parameterChild ??= createNode());
  const existing = parent.patternChildren.find((child) => child.segment === segment);
  if (existing !== undefined) return existing.node;
  const prefix = segment.slice(0, segment.indexOf(':'));
  const child = { segment, prefix, pattern: new RegExp(parameter.pattern), node: createNode() };
  parent.patternChildren.push(child);
  return child.node;
}

interface Search {
  readonly method: string;
  readonly acceptsHtml: boolean;
  /** Decoded. */
  readonly segments: readonly string[];
  readonly rawSegments: readonly string[];
  /** The values of the parameters on the way to the present node. */
  readonly values: string[];
}

/** Returns the match of the segments from `index` on, which are below `node`; null if there is none. */
function findBelow(node: RouteNode, index: number, search: Search): RouteMatch | null {
  const { method, segments, rawSegments, values } = search;
  const segment = segments[index];
  if (segment === undefined) return toMatch(node.targets.get(method), search);
  const fixedChild = node.fixedChildren.get(segment);
  const fixedMatch = fixedChild && findBelow(fixedChild, index + 1, search);
  if (fixedMatch) return fixedMatch;
  const findWith = (child: RouteNode, value: string): RouteMatch | null => {
    values.push(value);
    const match = findBelow(child, index + 1, search);
    values.pop();
    return match;
  };
  // An empty segment matches no parameter: `/projects/` is not a project.
  if (segment !== '' && rawSegments[index]!.length <= MAX_VALUE_LENGTH) {
    for (const { prefix, pattern, node: child } of node.patternChildren) {
      const value = segment.slice(prefix.length);
      const match = segment.startsWith(prefix) && pattern.test(value) ? findWith(child, value) : null;
      if (match) return match;
    }
    const match = node.parameterChild && findWith(node.parameterChild, segment);
    if (match) return match;
  }
  const rest = segments.slice(index).join('/');
  return rest === '' || rest.length > MAX_VALUE_LENGTH
    ? null
    : toMatch(node.restTargets.get(method), { ...search, values: [...values, rest] });
}

function toMatch(target: RouteTarget | undefined, { values, acceptsHtml }: Search): RouteMatch | null {
  if (target === undefined || (target.endpoint.htmlOnly && !acceptsHtml)) return null;
  const { endpoint, names } = target;
  return { endpoint, path: Object.fromEntries(names.map((name, index) => [name, values[index]!])) };
}

/**
 * A route that is matched by its suffix, `/*repository_path.git/info/refs`, `/groups/*group/-/issues`: namespaces may be nested, so
 * only the end and perhaps the beginning of the path are fixed. `*name` matches everything between. Clients may omit `.git`.
 */
interface SuffixRoute {
  readonly endpoint: Endpoint;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  /** The number of fixed characters: more are more specific. */
  readonly literalCount: number;
}

function toSuffixRoute(endpoint: Endpoint): SuffixRoute {
  const names: string[] = [];
  const source = endpoint.path
    .slice(1)
    .replace(/\*(\w+)(?:\.git)?|:(\w+)|[.$()]/g, (match, rest?: string, segmentName?: string, offset = 0) => {
      if (rest === undefined && segmentName === undefined) return `\\${match}`;
      names.push((rest ?? segmentName)!);
      if (rest === undefined) return '([^/]+)';
      // The first `/-/` ends the path of a project: a file may be called `-/raw/x`.
      if (endpoint.path.startsWith('/-/', 1 + offset + match.length)) return '([^/]+?(?:/(?!-/)[^/]+?)*?)';
      return `([^/]+?(?:/[^/]+?)*?)${match.endsWith('.git') ? '(?:\\.git)?' : ''}`;
    });
  const literalCount = replaceParameters(endpoint.path, () => '').length;
  return { endpoint, pattern: new RegExp(`^/${source}$`), names, literalCount };
}

function decodePathValue(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
