import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { GitRemote } from '#git/transport/fetch.ts';
import type { Clock } from '#runtime/clock.ts';
import {
  createFetchAuthorization,
  createSiteAuthorization,
  type PrimaryClient,
  PrimaryFailure,
  type SiteKeys,
} from './client.ts';
import { Events, OwnSiteResponse, type RemoteReplicable, Replicables, type ReplicationEvent } from './schemas.ts';

/** The API of the primary for its sites (contract/operations.md §3.4). Each call rejects with `PrimaryFailure`. */
export interface Primary {
  getSite(): Promise<OwnSiteResponse>;
  /** Returns up to a hundred objects with larger ids in the site's scope, in ascending order. */
  listReplicables(name: string, id: number): Promise<readonly RemoteReplicable[]>;
  /** Returns one object; null if it is gone or out of scope. */
  findReplicable(name: string, id: number): Promise<RemoteReplicable | null>;
  /** Returns up to a hundred events after this one, in ascending order. */
  listEvents(id: number): Promise<readonly ReplicationEvent[]>;
  /**
   * Returns the content of a file, at most `maxBytes` bytes, within a time that depends on them; null if it is gone.
   */
  openBlob(name: string, id: number, maxBytes: number): Promise<Readable | null>;
  report(status: object): Promise<void>;
  /** Returns URL and credentials for fetching a repository. */
  buildRemote(replicable: Pick<RemoteReplicable, 'replicable_name' | 'path'>): GitRemote;
}

const PAGE_SIZE = 100;

/** Minimum transfer rate of files, in bytes per second. */
const MIN_BYTES_PER_SECOND = 16_384;
const MINUTE_MS = 60_000;
/** Maximum duration of the download of a file. */
const MAX_DOWNLOAD_MS = 24 * 60 * MINUTE_MS;

/** Matches paths of namespaces and projects, without the segments `.` and `..`. */
const PATH_PATTERN = /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*$/;

interface PrimaryOptions {
  /** Base URL without a trailing slash. */
  readonly base: string;
  readonly client: PrimaryClient;
  readonly keys: SiteKeys;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function createPrimary({ base, client, keys, clock, signal }: PrimaryOptions): Primary {
  const createHeaders = (data: object = { scope: 'geo_api' }) => ({
    authorization: createSiteAuthorization(keys, data, clock.now()),
  });
  const buildPagePath = (name: string, afterId: number, perPage: number) =>
    `/api/v4/geo/replicables?replicable_name=${name}&after_id=${afterId}&per_page=${perPage}`;
  const listPage = async (name: string, afterId: number, perPage: number) => {
    const replicablePage = await client.requestJson(
      { path: buildPagePath(name, afterId, perPage), headers: createHeaders(), signal },
      Replicables,
    );
    let lastId = afterId;
    for (const replicable of replicablePage) {
      // Ids must ascend: otherwise the next page would repeat forever.
      if (replicable.replicable_name !== name || replicable.replicable_id <= lastId) throw createOrderFailure();
      lastId = replicable.replicable_id;
    }
    return replicablePage;
  };
  return {
    getSite: () => client.requestJson({ path: '/api/v4/geo/site', headers: createHeaders(), signal }, OwnSiteResponse),
    listReplicables: (name, id) => listPage(name, id, PAGE_SIZE),
    async findReplicable(name, id) {
      // The primary has no endpoint for one object, so a page of one begins right before it.
      const [first] = await listPage(name, id - 1, 1);
      return first?.replicable_id === id ? first : null;
    },
    async listEvents(id) {
      const path = `/api/v4/geo/events?after_id=${id}&per_page=${PAGE_SIZE}`;
      const events = await client.requestJson({ path, headers: createHeaders(), signal }, Events);
      if (events.some((event, index) => event.id <= (events[index - 1]?.id ?? id))) throw createOrderFailure();
      return events;
    },
    async openBlob(name, id, maxBytes) {
      const totalMs = Math.min(MAX_DOWNLOAD_MS, MINUTE_MS + (maxBytes / MIN_BYTES_PER_SECOND) * 1000);
      const data = { replicable_name: name, replicable_id: id };
      const request = { path: `/api/v4/geo/retrieve/${name}/${id}`, headers: createHeaders(data), signal };
      const { status, body } = await client.requestRaw(request, { totalMs, maxBytes });
      if (status === 200) return body;
      body.destroy();
      if (status === 404) return null;
      throw new PrimaryFailure(
        status >= 500 ? 'unavailable' : 'denied',
        `The primary answered ${status} to a file request`,
      );
    },
    async report(status) {
      const request = { method: 'POST', path: '/api/v4/geo/status', headers: createHeaders(), body: status, signal };
      await client.requestJson(request, Type.Object({}));
    },
    buildRemote({ replicable_name, path }) {
      const address = toRepositoryAddress(replicable_name, path ?? '');
      const authorization = createFetchAuthorization(keys, address, clock.now());
      return { url: `${base}/${address}.git`, headers: [`Authorization: ${authorization}`] };
    },
  };
}

/** Returns the path of a repository in git URLs, without `.git`. Throws if the primary sent an invalid path. */
export function toRepositoryAddress(name: string, path: string): string {
  if (!PATH_PATTERN.test(path))
    throw new PrimaryFailure('invalid-response', 'The primary sent an invalid repository path');
  return name.endsWith('_wiki_repository') && !path.endsWith('.wiki') ? `${path}.wiki` : path;
}

function createOrderFailure(): PrimaryFailure {
  return new PrimaryFailure('invalid-response', 'The primary sent ids out of order');
}
