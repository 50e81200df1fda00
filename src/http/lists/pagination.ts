import type { Reader } from '#database/database.ts';
import { COUNT_LIMIT } from '#database/page.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { HttpError } from '../errors/http-error.ts';
import { formatForm, type RawParameters } from '../parameters/brackets.ts';
import { optional } from '../parameters/declarations.ts';
import type { ParameterType } from '../parameters/parameter-type.ts';
import { string } from '../parameters/texts.ts';
import { integer } from '../parameters/types.ts';
import type { IncomingRequest } from '../request/incoming.ts';

/** Offset and keyset pagination (contract/conventions.md §6). */

export const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;

/** The number of rows per page: larger values become 100, negative ones the default. */
export const perPage: ParameterType<number> = {
  ...integer,
  read(raw, name, problems) {
    const value = integer.read(raw, name, problems);
    if (value === 0) return problems.add(`${name} has a value not allowed`);
    if (value === null) return null;
    return value < 0 ? DEFAULT_PER_PAGE : Math.min(value, MAX_PER_PAGE);
  },
};

/** The number of a page from 1; smaller values become 1. */
const pageNumber: ParameterType<number> = {
  ...integer,
  read(raw, name, problems) {
    const value = integer.read(raw, name, problems);
    return value === null ? null : Math.max(1, value);
  },
};

/** The parameters of every paginated list. */
export const pageParameters = { page: optional(pageNumber, 1), per_page: optional(perPage, DEFAULT_PER_PAGE) } as const;
/** The parameters of lists with keyset pagination. */
export const keysetParameters = {
  pagination: optional(string),
  order_by: optional(string),
  sort: optional(string),
  cursor: optional(string),
  id_after: optional(string),
  id_before: optional(string),
} as const;

/** Keyset pagination of a list; the first of `orders` is the default. */
export interface KeysetRule {
  readonly orders: readonly `${string} ${'asc' | 'desc'}`[];
  /** `id`: links contain id_after or id_before; `opaque`: links contain an encoded cursor. */
  readonly cursorKind: 'id' | 'opaque';
  /** Uses keyset pagination even without `pagination=keyset`. */
  readonly always?: boolean;
  /** Ignores `pagination=keyset` for signed-in callers. */
  readonly anonymousOnly?: boolean;
  /** Pages by number for other orders than `orders`, instead of 405. */
  readonly allowsOffset?: boolean;
  /** Default of `order_by`; if it is not a column of `orders`, requests must send `order_by`. */
  readonly defaultOrderBy?: string;
}

/** The requested page of a list. */
export type PageRequest = OffsetRequest | KeysetRequest;

export interface OffsetRequest {
  readonly kind: 'offset';
  readonly page: number;
  readonly perPage: number;
}

export interface KeysetRequest {
  readonly kind: 'keyset';
  readonly perPage: number;
  readonly orderBy: string;
  /** The direction in which rows are read; reversed for a previous page. */
  readonly sort: 'asc' | 'desc';
  /** Whether the cursor leads to a previous page: rows are read in reverse and then reversed. */
  readonly backward: boolean;
  /** The row after which this page starts: its value in the order column, and its id. */
  readonly after: { readonly value: string | number; readonly id: number } | null;
}

const keysetUnavailable = () =>
  new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' });

/**
 * Returns the requested page of a list. Throws 405 for an order that the list does not support with keyset pagination.
 */
export function readPageRequest(params: RawParameters, rule: KeysetRule | undefined, isSignedIn: boolean): PageRequest {
  const page = params.page as number;
  const perPage = params.per_page as number;
  const isKeyset = rule !== undefined && (rule.always === true || params.pagination === 'keyset');
  if (!isKeyset || (rule.anonymousOnly && isSignedIn)) return { kind: 'offset', page, perPage };
  const [defaultColumn = '', defaultSort = ''] = (rule.orders[0] ?? '').split(' ');
  const orderBy = (params.order_by as string | undefined) || rule.defaultOrderBy || defaultColumn;
  const allowedOrders = rule.orders as readonly string[];
  // Without `sort`: the direction of the default order, if the list supports it for this column.
  const sort =
    (params.sort as string | undefined) || (allowedOrders.includes(`${orderBy} ${defaultSort}`) ? defaultSort : 'asc');
  if (!allowedOrders.includes(`${orderBy} ${sort}`)) {
    if (rule.allowsOffset) return { kind: 'offset', page, perPage };
    throw keysetUnavailable();
  }
  const { after, backward } = getStartPosition(params, rule, orderBy, sort);
  // A previous page is read in the opposite direction.
  const direction = (sort === 'asc') === backward ? 'desc' : 'asc';
  return { kind: 'keyset', perPage, orderBy, sort: direction, backward, after };
}

type StartPosition = Pick<KeysetRequest, 'after' | 'backward'>;

function getStartPosition(params: RawParameters, rule: KeysetRule, orderBy: string, sort: string): StartPosition {
  if (rule.cursorKind === 'id') {
    const id = String(params[sort === 'asc' ? 'id_after' : 'id_before'] ?? '');
    // Up to 15 digits are a safe integer; other values count as absent.
    return { after: /^\d{1,15}$/.test(id) ? { value: Number(id), id: Number(id) } : null, backward: false };
  }
  const cursor = params.cursor as string | undefined;
  return cursor ? readCursor(cursor, orderBy) : { after: null, backward: false };
}

/** A parameter type for the cursor of a list ordered by id. */
export const idCursor: ParameterType<string> = {
  ...string,
  read(raw, name, problems) {
    const cursor = string.read(raw, name, problems);
    return cursor ? (parseCursor(cursor, 'id') === null ? problems.addInvalid(name) : cursor) : cursor;
  },
};

function readCursor(cursor: string, orderBy: string): StartPosition {
  const start = parseCursor(cursor, orderBy);
  if (start === null) throw new HttpError(400, { error: 'cursor is invalid' });
  return start;
}

function parseCursor(cursor: string, orderBy: string): StartPosition | null {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const value = parsed[orderBy];
  const id = Number(parsed.id);
  const isUsable = (typeof value === 'string' && !value.includes('\u0000')) || Number.isSafeInteger(value);
  if (!isUsable || !Number.isSafeInteger(id) || (parsed._kd !== 'n' && parsed._kd !== 'p')) return null;
  return { after: { value: orderBy === 'id' ? id : (value as string | number), id }, backward: parsed._kd === 'p' };
}

/** Encodes a cursor: the key of the first or last row of a page, and the direction `n`ext or `p`revious. */
function formatCursor(request: KeysetRequest, value: string | number, id: number, direction: 'n' | 'p'): Cursor {
  const key = { [request.orderBy]: value, id, _kd: direction };
  return { cursor: Buffer.from(JSON.stringify(key)).toString('base64url') };
}

/** Returns a keyset page. `rows` are up to `perPage` + 1 rows, in the order in which they were read. */
export function toKeysetPage<T extends { id: number }>(
  request: KeysetRequest,
  rows: readonly T[],
  rule: KeysetRule,
  getKey: (row: T) => string | number = (row) => row.id,
): ListPage<T> {
  const hasMore = rows.length > request.perPage;
  const pageRows = rows.slice(0, request.perPage);
  const items = request.backward ? pageRows.reverse() : pageRows;
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return { items, total: null, hasMore, keyset: { next: null } };
  if (rule.cursorKind === 'id') {
    const cursorParameter = request.sort === 'asc' ? 'id_after' : 'id_before';
    return { items, total: null, hasMore, keyset: { next: { [cursorParameter]: String(last.id) } } };
  }
  // The page before a cursor (or after it, if backward) exists: it contains the row of the cursor.
  const hasNext = hasMore || request.backward;
  const hasPrevious = request.backward ? hasMore : request.after !== null;
  const next = hasNext ? formatCursor(request, getKey(last), last.id, 'n') : null;
  const previous = hasPrevious ? formatCursor(request, getKey(first), first.id, 'p') : null;
  return { items, total: null, hasMore: hasNext, keyset: { next, previous } };
}

/** Returns the pagination headers of a page. `rawParams` are all parameters of the request, before validation. */
export function createPageHeaders(
  page: ListPage<unknown>,
  pageRequest: PageRequest,
  request: IncomingRequest,
  rawParams: RawParameters,
): Record<string, string> {
  const createLink = (changes: RawParameters) => {
    const { cursor: _cursor, id_after: _after, id_before: _before, page_token: _token, ...rest } = rawParams;
    const unchangedParams = page.keyset ? rest : rawParams;
    const query = formatForm({ ...unchangedParams, ...changes });
    // A comma would separate two links of the header.
    return `${request.baseUrl}${request.path}?${query}`.replaceAll(',', '%2C');
  };
  if (page.keyset) return createKeysetHeaders(page.keyset, createLink, pageRequest.perPage);
  if (pageRequest.kind === 'keyset') return {};
  return createOffsetHeaders(page, pageRequest, createLink);
}

/** Length limits of the header `Link`, with all links and with the next page only: clients reject longer headers. */
const MAX_LINK_LENGTH = 8192;
const MAX_NEXT_LINK_LENGTH = 16_384;

/**
 * Returns the header with all links; with only the next page if they are too long; no header if that is too long too.
 */
function createLinkHeader(allLinks: string, nextLink: string): { readonly Link?: string } {
  if (allLinks !== '' && allLinks.length <= MAX_LINK_LENGTH) return { Link: allLinks };
  return nextLink !== '' && nextLink.length <= MAX_NEXT_LINK_LENGTH ? { Link: nextLink } : {};
}

function createKeysetHeaders(
  { next, previous }: NonNullable<ListPage<unknown>['keyset']>,
  createLink: (changes: RawParameters) => string,
  perPage: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const nextLink = next ? `<${createLink({ ...next, per_page: perPage })}>; rel="next"` : '';
  Object.assign(headers, createLinkHeader(nextLink, nextLink));
  if (next?.cursor !== undefined) headers['X-Next-Cursor'] = next.cursor;
  if (previous?.cursor !== undefined) headers['X-Prev-Cursor'] = previous.cursor;
  return headers;
}

function createOffsetHeaders(
  { total, hasMore, items }: ListPage<unknown>,
  { page, perPage }: OffsetRequest,
  createLink: (changes: RawParameters) => string,
): Record<string, string> {
  const pageCount = total === null ? null : Math.max(1, Math.ceil(total / perPage));
  const formatLink = (targetPage: number, rel: string) =>
    `<${createLink({ page: targetPage, per_page: perPage })}>; rel="${rel}"`;
  // A page beyond the last one has no previous page.
  const previous = page > 1 && (items.length > 0 || (pageCount !== null && page <= pageCount)) ? page - 1 : null;
  const next = hasMore ? page + 1 : null;
  const nextLink = next === null ? '' : formatLink(next, 'next');
  const links = [
    previous === null ? '' : formatLink(previous, 'prev'),
    nextLink,
    formatLink(1, 'first'),
    pageCount === null ? '' : formatLink(pageCount, 'last'),
  ];
  const headers: Record<string, string> = {
    ...createLinkHeader(links.filter((link) => link !== '').join(', '), nextLink),
    'X-Page': String(page),
    'X-Per-Page': String(perPage),
    'X-Next-Page': next === null ? '' : String(next),
    'X-Prev-Page': previous === null ? '' : String(previous),
  };
  if (total !== null && pageCount !== null) {
    headers['X-Total'] = String(total);
    headers['X-Total-Pages'] = String(pageCount);
  }
  return headers;
}

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** The number of all rows; null if there are more than 10,000, or if they were not counted. */
  readonly total: number | null;
  /** Whether there is a next page. */
  readonly hasMore: boolean;
  /** Set on keyset pages instead of totals: the parameters of the next and previous page. */
  readonly keyset?: { readonly next: Cursor | null; readonly previous?: Cursor | null };
}

/** The query parameters that continue a keyset list, e.g. `{ id_after: '42' }` or `{ cursor: '…' }`. */
type Cursor = Readonly<Record<string, string>>;

/** Returns one page of a list in memory (refs, diffs). As in every list, more than 10,000 items have no total. */
export function paginateInMemory<T>(rows: readonly T[], page: PageRequest): ListPage<T> {
  // A list in memory has no cursor, so a keyset request gets the first page.
  const pageNumber = page.kind === 'offset' ? page.page : 1;
  const start = (pageNumber - 1) * page.perPage;
  const end = start + page.perPage;
  const total = rows.length > COUNT_LIMIT ? null : rows.length;
  return { items: rows.slice(start, end), total, hasMore: rows.length > end };
}

/**
 * Fails for a page beyond the setting `offset_pagination_limit` (0: no limit), even if the list has fewer rows
 * (contract/conventions.md §6). Returns null otherwise.
 */
export async function checkOffsetLimit(db: Reader, page: PageRequest): Promise<Failure<'offsetTooFar'> | null> {
  const { offset_pagination_limit: limit } = await loadSettings(db);
  const isBeyondLimit = limit > 0 && page.kind === 'offset' && page.page * page.perPage > limit;
  return isBeyondLimit ? fail('offsetTooFar', { limit }) : null;
}

/** The error for a page beyond the limit; `{limit}` is the setting. */
export function offsetTooFarError(type: 'User' | 'Group') {
  return [
    405,
    {
      error: `Offset pagination has a maximum allowed offset of {limit} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
    },
  ] as const;
}

interface TokenPageOptions<T> {
  /** The name of the last item of the previous page; null for the first page. */
  readonly pageToken: string | null | undefined;
  readonly getName: (row: T) => string;
  /**
   * Returns whether a row comes after this name in the order of the list; null for lists that are not ordered by name.
   */
  readonly isAfter: ((row: T, name: string) => boolean) | null;
  readonly perPage: number;
}

/**
 * Returns the page of a list in memory after the row that `page_token` names. If the row was deleted, the page starts after its
 * name; without an order by name this fails with `tokenInvalid`.
 */
export function paginateByToken<T>(
  sortedRows: readonly T[],
  options: TokenPageOptions<T>,
): ListPage<T> | Failure<'tokenInvalid'> {
  const { pageToken: token, getName, perPage } = options;
  const start = token ? findStart(sortedRows, token, options) : 0;
  if (start === null) return fail('tokenInvalid');
  const end = start + perPage;
  const items = sortedRows.slice(start, end);
  const hasMore = sortedRows.length > end;
  const next = hasMore ? { page_token: getName(items.at(-1) as T) } : null;
  return { items, total: null, hasMore, keyset: { next } };
}

/** Returns the index of the first row of the page; null if the named row is gone and the list has no order by name. */
function findStart<T>(
  sortedRows: readonly T[],
  name: string,
  { getName, isAfter }: TokenPageOptions<T>,
): number | null {
  const index = sortedRows.findIndex((row) => getName(row) === name);
  if (index !== -1) return index + 1;
  if (isAfter === null) return null;
  const next = sortedRows.findIndex((row) => isAfter(row, name));
  return next === -1 ? sortedRows.length : next;
}
