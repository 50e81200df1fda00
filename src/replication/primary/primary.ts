import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Remote } from '#git/transport/fetch.ts';
import type { Clock } from '#runtime/clock.ts';
import { fetchAuthorization, type SiteKeys, siteAuthorization } from './authorization.ts';
import { type Asking, PrimaryFailure } from './client.ts';
import { Events, PolledSite, type Replicable, Replicables, type ReplicationEvent } from './schemas.ts';

/** The primary, as it is for a site that it knows (contract/operations.md §3.4). Each fails with a `PrimaryFailure`. */
export interface Primary {
  site(): Promise<PolledSite>;
  /** What comes after this id, at most a hundred, ids ascending; only what is in the site's scope. */
  replicablesAfter(name: string, id: number): Promise<readonly Replicable[]>;
  /** Null: it is gone, or out of scope. */
  replicable(name: string, id: number): Promise<Replicable | null>;
  /** What happened after this event, at most a hundred, ids ascending. */
  eventsAfter(id: number): Promise<Happened>;
  /** Content of a file, at most so many bytes, in time that depends on them; null: it is gone. */
  blob(name: string, id: number, maxBytes: number): Promise<Readable | null>;
  report(status: object): Promise<void>;
  /** Where git fetches a repository, and as whom. */
  remote(replicable: Pick<Replicable, 'replicable_name' | 'path'>): Remote;
}

interface Happened {
  readonly events: readonly ReplicationEvent[];
  /** Until here nothing else has happened that concerns this site. */
  readonly until: number;
}

const PAGE = 100;

/** A file comes at this pace or not at all, in bytes a second. */
const SLOWEST = 16_384;
const A_MINUTE = 60_000;
const LONGEST = 24 * 60 * A_MINUTE;

/** Segments as namespaces and projects have them, none of which leads anywhere else. */
const PATH = /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*$/;

interface PrimaryOptions {
  /** Its address, without a slash at the end. */
  readonly base: string;
  readonly asking: Asking;
  readonly keys: SiteKeys;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function createPrimary({ base, asking, keys, clock, signal }: PrimaryOptions): Primary {
  const headers = (data: object = { scope: 'geo_api' }) => ({
    authorization: siteAuthorization(keys, data, clock.now()),
  });
  const page = (name: string, after: number, perPage: number) =>
    `/api/v4/geo/replicables?replicable_name=${name}&after_id=${after}&per_page=${perPage}`;
  const replicables = async (name: string, after: number, perPage: number) => {
    const found = await asking.json({ path: page(name, after, perPage), headers: headers(), signal }, Replicables);
    let last = after;
    for (const each of found) {
      // Whoever does not count upwards would be asked for ever.
      if (each.replicable_name !== name || each.replicable_id <= last) throw disordered();
      last = each.replicable_id;
    }
    return found;
  };
  return {
    site: () => asking.json({ path: '/api/v4/geo/site', headers: headers(), signal }, PolledSite),
    replicablesAfter: (name, id) => replicables(name, id, PAGE),
    async replicable(name, id) {
      const [first] = await replicables(name, id - 1, 1);
      return first?.replicable_id === id ? first : null;
    },
    async eventsAfter(id) {
      const path = `/api/v4/geo/events?after_id=${id}&per_page=${PAGE}`;
      const { value: events, headers: told } = await asking.answer({ path, headers: headers(), signal }, Events);
      if (events.some((event, at) => event.id <= (events[at - 1]?.id ?? id))) throw disordered();
      const last = events.at(-1)?.id ?? id;
      const until = Number(told['x-hearth-events-until'] ?? last);
      return { events, until: Number.isSafeInteger(until) && until > last ? until : last };
    },
    async blob(name, id, maxBytes) {
      const totalMs = Math.min(LONGEST, A_MINUTE + (maxBytes / SLOWEST) * 1000);
      const data = { replicable_name: name, replicable_id: id };
      const question = { path: `/api/v4/geo/retrieve/${name}/${id}`, headers: headers(data), signal };
      const { status, body } = await asking.raw(question, { totalMs, maxBytes });
      if (status === 200) return body;
      body.destroy();
      if (status === 404) return null;
      throw new PrimaryFailure(status >= 500 ? 'away' : 'refused', `The primary answered ${status} to a file`);
    },
    async report(status) {
      const question = { method: 'POST', path: '/api/v4/geo/status', headers: headers(), body: status, signal };
      await asking.json(question, Type.Object({}));
    },
    remote({ replicable_name, path }) {
      const address = addressOf(replicable_name, path ?? '');
      const authorization = fetchAuthorization(keys, address, clock.now());
      return { url: `${base}/${address}.git`, headers: [`Authorization: ${authorization}`] };
    },
  };
}

/** What git clients write before `.git`. Throws for what is no path: it would lead elsewhere. */
export function addressOf(name: string, path: string): string {
  if (!PATH.test(path)) throw new PrimaryFailure('nonsense', 'The primary names a repository by what is no path');
  return name.endsWith('_wiki_repository') && !path.endsWith('.wiki') ? `${path}.wiki` : path;
}

function disordered(): PrimaryFailure {
  return new PrimaryFailure('nonsense', 'The primary does not count upwards');
}
