import type { Registry } from '#http/server/routing/registry.ts';
import { matchAddress } from '#web/addresses.ts';
import type { HttpExchange } from './caller.ts';

// Links to this server in responses (contract/web.md §4.2): `web_url`, `readme_url` and similar fields.

/** Fields that people open in a browser. Others name repositories for git, or addresses for other programs. */
const OPENED = /^(?:\w+_)?(?:web|edit|details|readme|raw|target)_url$/;

/**
 * Addresses that lead nowhere yet, after the path of the project or group, with `#` for numbers. A page that is added makes its line
 * superfluous; the test then prints it.
 */
const WITHOUT_PAGE: readonly string[] = [
  '/-/alert_management/#/details',
  '/-/epics/#',
  '/-/error_tracking/#/details',
  '/-/iterations/#',
  '/-/snippets/#',
  '/-/snippets/#/raw',
  '/-/snippets/#/raw/:ref/:file',
  '/admin/geo/sites/#/edit',
  '/admin/geo/sites/#/replication/lfs_objects',
];

/** Returns the address with placeholders, and without the path of the project or group. */
function toShape(path: string): string {
  return path
    .replace(/[0-9a-f]{40}/g, ':sha')
    .replace(/\/\d+(?=\/|$)/g, '/#')
    .replace(/^.*?(?=\/-\/)/, '')
    .replace(/\/raw\/[^/]+\/.+$/, '/raw/:ref/:file');
}

/** A collector of links that lead nowhere. */
interface LinkCheck {
  /** Reads the links of a response. */
  read(exchange: HttpExchange): void;
  /** Returns the addresses that have neither a page nor an endpoint, nor a line in `WITHOUT_PAGE`. */
  listDead(): readonly string[];
  /** Returns the lines of `WITHOUT_PAGE` whose addresses have a page now. */
  listSuperfluous(): readonly string[];
}

/** Creates a check of the links to the server with this address. */
export function createLinkCheck({
  address,
  registry,
}: {
  readonly address: string;
  readonly registry: Registry;
}): LinkCheck {
  const dead = new Set<string>();
  const superfluous = new Set<string>();
  const checkLink = (key: string, link: string) => {
    if (!link.startsWith(`${address}/`) || !OPENED.test(key)) return;
    const path = link.slice(address.length).replace(/[?#].*$/, '');
    const shape = toShape(path);
    const isServed = matchAddress(path) !== null || registry.find('GET', path) !== null;
    if (!isServed && !WITHOUT_PAGE.includes(shape)) dead.add(`${key}: ${path}`);
    if (isServed && WITHOUT_PAGE.includes(shape)) superfluous.add(shape);
  };
  const readValue = (key: string, value: unknown): void => {
    if (typeof value === 'string') checkLink(key, value);
    else if (Array.isArray(value)) for (const item of value) readValue(key, item);
    else if (value !== null && typeof value === 'object')
      for (const [name, item] of Object.entries(value)) readValue(name, item);
  };
  return {
    read: ({ response }) => readValue('', response.body),
    listDead: () => [...dead].sort(),
    listSuperfluous: () => [...superfluous].sort(),
  };
}
