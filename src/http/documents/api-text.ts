import type { Endpoint } from '../endpoint/endpoint.ts';
import { declaredParameters } from '../server/pipeline/handle.ts';
import { pathNames } from '../server/routing/paths.ts';
import { fullPath, type Registry } from '../server/routing/registry.ts';

/**
 * `api.txt`: one line an endpoint, so that a change of the API is a diff. Columns: method and path, name, who may,
 * the order when it is not the standard one, scopes of its own and whether a job's token will do, parameters (`*`
 * required), answer, what it records.
 */
export function apiText(registry: Registry): string {
  const rows = registry.endpoints.map(columns);
  const widths =
    rows[0]?.map((_cell, column) => Math.min(WIDEST, Math.max(...rows.map((row) => row[column]?.length ?? 0)))) ?? [];
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

/** A longer cell pushes its own line to the right, not those of all others. */
const WIDEST = 80;

function columns(endpoint: Endpoint): string[] {
  const { method, name, access, stageOrder: order, response: answer, activity: records } = endpoint;
  return [
    `${method.padEnd(6)} ${fullPath(endpoint)}`,
    name,
    access.label,
    order === 'standard' ? '-' : order,
    tokens(endpoint) || '-',
    `${answer.status} ${answer.kind}`,
    parameters(endpoint) || '-',
    records.length === 0 ? '' : `records ${records.join(', ')}`,
  ];
}

function tokens({ scopes, anyScope, allowJobToken: jobToken, allowSiteToken: siteProof }: Endpoint): string {
  const others = [...(jobToken ? ['job token'] : []), ...(siteProof ? ['site'] : [])];
  return [...(anyScope ? ['any scope'] : scopes), ...others].join(',');
}

function parameters(endpoint: Endpoint): string {
  const inPath = pathNames(endpoint.path);
  return Object.entries(declaredParameters(endpoint))
    .filter(([name]) => !inPath.includes(name))
    .map(([name, { presence }]) => (presence === 'required' ? `${name}*` : name))
    .join(' ');
}

/** The endpoints that are not checked in the standard order, one a line: the table of contract/conventions.md §1. */
export function otherOrders(registry: Registry): string {
  return registry.endpoints
    .filter(({ stageOrder: order }) => order !== 'standard')
    .map(({ stageOrder: order, method, name, ...endpoint }) => `${order}  ${method} ${fullPath(endpoint)}  ${name}\n`)
    .sort()
    .join('');
}
