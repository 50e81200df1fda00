import { slice } from '#http/lists/in-memory-page.ts';
import { pageHeaders } from '#http/lists/pagination.ts';
import type { Incoming } from '#http/request/incoming.ts';
import { json, type Outgoing, unlessKnown } from '#http/server/response/response.ts';
import type { SiteRow, StatusRow } from '../primary/schemas.ts';
import { type Checks, type Sites, TOKENS } from './caller-checks.ts';

interface Serving {
  readonly checks: Checks;
  /** Null: this site is none of the primary's at present. */
  readonly siteId: () => number | null;
  /** How the copies are at this moment, in the form of the primary's answers. */
  readonly ownStatus: (site: SiteRow, before: StatusRow | undefined) => Promise<StatusRow | null>;
}

interface Wanted {
  readonly id: number | null;
  readonly status: boolean;
}

/** Which of the four reads of sites it is; null: something else, or one whose parameters the primary had better look at. */
export function sitesOf({ method, path, query }: Incoming): Wanted | null {
  const found = /^\/api\/v4\/geo_sites(?:\/(\d{1,15}))?(\/status)?$/.exec(path);
  if (found === null || !READS.has(method) || !isPlain(query)) return null;
  const [, id, status] = found;
  return { id: id === undefined ? null : Number(id), status: status !== undefined };
}

/** What HEAD says is what GET says. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const PLAIN: Readonly<Record<string, RegExp>> = {
  page: /^[1-9]\d{0,5}$/,
  per_page: /^[1-9]\d?$|^100$/,
  refresh: /^true$|^false$/,
};

function isPlain(query: string): boolean {
  return [...new URLSearchParams(query)].every(([name, value]) => TOKENS.includes(name) || PLAIN[name]?.test(value));
}

/** What administrators read of sites, as the primary has it and as this one sees itself; null: the primary answers. */
export async function serveSites({ checks, siteId, ownStatus }: Serving, request: Incoming): Promise<Outgoing | null> {
  const wanted = sitesOf(request);
  const own = siteId();
  if (wanted === null || own === null) return null;
  const sites = await checks.sites(request);
  if (sites === null) return null;
  const rows = wanted.status ? await statusesOf(sites, own, ownStatus) : sitesAsSeenBy(sites, own);
  if (wanted.id === null) return unlessKnown(request, await listed(rows, request));
  const row = rows.find((each) => ('geo_node_id' in each ? each.geo_node_id : each.id) === wanted.id);
  return row === undefined ? null : unlessKnown(request, await json(row, 200, request, {}));
}

function sitesAsSeenBy({ sites }: Sites, own: number): readonly SiteRow[] {
  return sites.map((row) => ({ ...row, current: row.id === own }));
}

async function statusesOf(
  { sites, statuses }: Sites,
  own: number,
  ownStatus: Serving['ownStatus'],
): Promise<readonly StatusRow[]> {
  const site = sites.find(({ id }) => id === own);
  const before = statuses.find(({ geo_node_id }) => geo_node_id === own);
  const status = site === undefined ? null : await ownStatus(site, before);
  const others = statuses.filter(({ geo_node_id }) => geo_node_id !== own);
  return [...others, ...(status === null ? [] : [status])].sort((a, b) => a.geo_node_id - b.geo_node_id);
}

function listed(rows: readonly object[], request: Incoming) {
  const given = Object.fromEntries(new URLSearchParams(request.query));
  const asked = { kind: 'offset', page: Number(given.page ?? 1), perPage: Number(given.per_page ?? 20) } as const;
  const page = slice(rows, asked);
  return json(page.items, 200, request, pageHeaders(page, asked, request, given));
}
