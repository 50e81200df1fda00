/**
 * The pages of the web application by name: the address, and the API path of the same data. `:name` is one segment, `*name` are
 * several. The server serves the application at these addresses, so this module imports nothing.
 */
export const ADDRESSES = {
  home: { path: '/', api: '/projects' },
  explore: { path: '/explore', api: '/projects' },
} as const satisfies Readonly<Record<string, PageAddress>>;

interface PageAddress {
  readonly path: string;
  readonly api: string;
}

export type PageName = keyof typeof ADDRESSES;

/** The values of the parameters in the address of a page. */
export type AddressValues = Readonly<Record<string, string>>;

export interface AddressMatch {
  readonly name: PageName;
  readonly values: AddressValues;
}

/** Returns the page at a path without the base path of the server; null if there is none. */
export function matchAddress(path: string): AddressMatch | null {
  for (const name of Object.keys(ADDRESSES) as PageName[]) {
    const match = toPattern(ADDRESSES[name].path).exec(path);
    if (match === null) continue;
    const values = decodeValues(match.groups ?? {});
    if (values !== null) return { name, values };
  }
  return null;
}

/** Returns the path of a page; values are encoded. */
export function toPath(name: PageName, values: AddressValues = {}): string {
  return ADDRESSES[name].path.replace(/([:*])(\w+)/g, (_all, kind: string, key: string) => {
    const segments = kind === '*' ? (values[key] ?? '').split('/') : [values[key] ?? ''];
    return segments.map(encodeURIComponent).join('/');
  });
}

function toPattern(path: string): RegExp {
  const source = path.replace(/([:*])(\w+)/g, (_all, kind: string, key: string) =>
    // The first `/-/` ends the path of a project.
    kind === '*' ? `(?<${key}>(?!-/)[^/]+(?:/(?!-/)[^/]+)*)` : `(?<${key}>[^/]+)`,
  );
  return new RegExp(`^${source}/?$`);
}

function decodeValues(groups: AddressValues): AddressValues | null {
  try {
    return Object.fromEntries(Object.entries(groups).map(([key, value]) => [key, decodeURIComponent(value)]));
  } catch {
    return null;
  }
}
