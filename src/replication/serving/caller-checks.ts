import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Incoming } from '#http/request/incoming.ts';
import type { Clock } from '#runtime/clock.ts';
import { type Asking, PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import { type SiteRow, type StatusRow, StatusRows } from '../primary/schemas.ts';
import { allSites } from '../registration/register.ts';
import type { Copy } from '../sync/registry.ts';

/**
 * Who may have what is answered here: the primary says so, who is asked in the name of whoever asks, and whose word holds for a
 * minute (contract/operations.md §3.5, "Serve").
 */
export interface Checks {
  /** May this client fetch the repository, and is it still the one at this address? */
  mayFetch(request: Incoming, copy: Copy): Promise<boolean>;
  /** Has it said within the last minute that it must know first who this is? Git always asks so to begin with. */
  wantedToKnowWho(request: Incoming, copy: Copy): Promise<boolean>;
  /** All sites and their states, to an administrator; null: to anybody else, or when nobody can say. */
  sites(request: Incoming): Promise<Sites | null>;
}

/** What the primary has of its sites, as it was when it was asked last. */
export interface Sites {
  readonly sites: readonly SiteRow[];
  readonly statuses: readonly StatusRow[];
}

/** What the primary says; `who`: nothing to anybody whom it does not know. */
type Word = 'yes' | 'no' | 'who';

/** How long an answer holds, in milliseconds. */
const HOLDS = 60_000;

/** Answers that are kept. */
const MOST = 10_000;

/** What a client may present; everything else of a request says nothing of who it is. */
const CREDENTIALS = ['authorization', 'private-token', 'deploy-token', 'job-token', 'cookie', 'sudo'];

interface ChecksOptions {
  readonly asking: Asking;
  /** Null: this site is none of the primary's at present. */
  readonly primary: () => Primary | null;
  readonly clock: Clock;
}

export function createChecks({ asking, primary, clock }: ChecksOptions): Checks {
  const kept = new LRUCache<string, { readonly until: number; readonly answer: Promise<Word> }>({ max: MOST });
  let known: Sites = { sites: [], statuses: [] };

  const held = (key: string): Promise<Word> | null => {
    const before = kept.get(key);
    return before !== undefined && before.until > clock.now().getTime() ? before.answer : null;
  };

  const fetching = (request: Incoming, copy: Copy) => `${copy.id} ${copy.path} ${whoIs(request)}`;

  /** What comes at the same time is asked once; that nobody could say is not kept. */
  const holding = async (key: string, ask: () => Promise<Word>): Promise<Word> => {
    const before = held(key);
    if (before !== null) return before;
    const answer = ask();
    kept.set(key, { until: clock.now().getTime() + HOLDS, answer });
    try {
      return await answer;
    } catch (error) {
      if (kept.get(key)?.answer === answer) kept.delete(key);
      if (error instanceof PrimaryFailure) return 'no';
      throw error;
    }
  };

  return {
    async mayFetch(request, copy) {
      const word = await holding(fetching(request, copy), async () => {
        const [isTheSame, served] = await Promise.all([isAt(primary(), copy), askForFetch(asking, request, copy)]);
        return isTheSame || served === 'who' ? served : 'no';
      });
      return word === 'yes';
    },
    async wantedToKnowWho(request, copy) {
      return (await held(fetching(request, copy))) === 'who';
    },
    async sites(request) {
      const word = await holding(`sites ${whoIs(request)}`, async () => {
        known = await askForSites(asking, request);
        return 'yes';
      });
      return word === 'yes' ? known : null;
    },
  };
}

/** Another repository may have come to this address: what is here is not its copy. */
async function isAt(primary: Primary | null, { replicable_name, replicable_id, path }: Copy): Promise<boolean> {
  const replicable = await primary?.replicable(replicable_name, replicable_id);
  return replicable?.path != null && (path === replicable.path || path === `${replicable.path}.wiki`);
}

/** Whether the primary would begin to serve this client. */
async function askForFetch(asking: Asking, request: Incoming, { path }: Copy): Promise<Word> {
  const question = { path: `/${path}.git/info/refs?service=git-upload-pack`, headers: headersOf(request) };
  const { status, headers, body } = await asking.raw(question, { totalMs: 60_000, maxBytes: Number.MAX_SAFE_INTEGER });
  body.destroy();
  if (status >= 500 || status === 429) throw new PrimaryFailure('away', `The primary answered ${status}`);
  if (status === 401) return 'who';
  return status === 200 && headers['content-type'] === 'application/x-git-upload-pack-advertisement' ? 'yes' : 'no';
}

/** Statuses that come at once: each has some three hundred values. */
const PAGE = 20;
const MOST_PAGES = 100;

async function askForSites(asking: Asking, request: Incoming): Promise<Sites> {
  const headers = headersOf(request);
  const tokens = tokensOf(request);
  const sites = await allSites(asking, headers, tokens);
  const statuses: StatusRow[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const path = `/api/v4/geo_sites/status?per_page=${PAGE}&page=${page}${tokens}`;
    const found = await asking.json({ path, headers }, StatusRows);
    statuses.push(...(found as StatusRow[]));
    if (found.length < PAGE) break;
  }
  return { sites, statuses };
}

function headersOf({ headers, clientAddress }: Incoming): Record<string, string> {
  const presented = CREDENTIALS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(presented), 'x-forwarded-for': clientAddress };
}

/** Credentials may be parameters too. */
export const TOKENS = ['private_token', 'access_token', 'bearer_token', 'sudo'];

function tokensOf({ query }: Incoming): string {
  const given = [...new URLSearchParams(query)].filter(([name]) => TOKENS.includes(name));
  return given.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
}

/** Another text for everybody who may be another. Secrets are not kept. */
function whoIs(request: Incoming): string {
  const { 'x-forwarded-for': _address, ...headers } = headersOf(request);
  return createHash('sha256')
    .update(JSON.stringify([headers, tokensOf(request)]))
    .digest('base64url');
}
