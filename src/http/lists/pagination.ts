import { HttpError } from '../errors/http-error.ts';
import { formatForm, type Raw } from '../parameters/brackets.ts';
import { optional } from '../parameters/declarations.ts';
import type { ParameterType } from '../parameters/parameter-type.ts';
import { string } from '../parameters/texts.ts';
import { integer } from '../parameters/types.ts';
import type { Incoming } from '../request/incoming.ts';
import type { Cursor, Page } from './page.ts';

/** Offset and keyset pagination (contract/conventions.md §6). */

export const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;

/** How many rows a page has: at most 100. */
export const perPage: ParameterType<number> = {
  ...integer,
  read(raw, name, problems) {
    const value = integer.read(raw, name, problems);
    if (value === 0) return problems.add(`${name} has a value not allowed`);
    if (value === null) return null;
    return value < 0 ? DEFAULT_PER_PAGE : Math.min(value, MAX_PER_PAGE);
  },
};

const pageNumber: ParameterType<number> = {
  ...integer,
  read(raw, name, problems) {
    const value = integer.read(raw, name, problems);
    return value === null ? null : Math.max(1, value);
  },
};

/** The parameters that every paginated list takes besides its own. */
export const pageParameters = { page: optional(pageNumber, 1), per_page: optional(perPage, DEFAULT_PER_PAGE) } as const;
export const keysetParameters = {
  pagination: optional(string),
  order_by: optional(string),
  sort: optional(string),
  cursor: optional(string),
  id_after: optional(string),
  id_before: optional(string),
} as const;

/** How a list's endpoint lets it be walked by keyset: the orders it knows, its default first. */
export interface KeysetRule {
  readonly orders: readonly `${string} ${'asc' | 'desc'}`[];
  /** `id`: the link carries id_after or id_before; `cursor`: an opaque cursor. */
  readonly by: 'id' | 'cursor';
  /** Keyset even when nobody asks for it. */
  readonly always?: boolean;
  /** For signed-in callers `pagination=keyset` is ignored. */
  readonly anonymousOnly?: boolean;
  /** What an absent order_by means for the list; when it is none of `orders`, leaving it out is refused. */
  readonly orderWithoutAsking?: string;
}

/** Which slice of a list the caller asks for. */
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
  /** The direction to read in: on the way back, the list's own turned round. */
  readonly sort: 'asc' | 'desc';
  /** A cursor that leads back: rows are read away from it and shown the other way round. */
  readonly backward: boolean;
  /** The row that this page starts behind: its value in the order's column, and its id. */
  readonly after: { readonly value: string | number; readonly id: number } | null;
}

const keysetUnavailable = () =>
  new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' });

export function pageRequest(params: Raw, rule: KeysetRule | undefined, signedIn: boolean): PageRequest {
  const page = params.page as number;
  const perPage = params.per_page as number;
  const asked = rule !== undefined && (rule.always === true || params.pagination === 'keyset');
  if (!asked || (rule.anonymousOnly && signedIn)) return { kind: 'offset', page, perPage };
  const [defaultColumn = '', defaultSort = ''] = (rule.orders[0] ?? '').split(' ');
  const orderBy = (params.order_by as string | undefined) || rule.orderWithoutAsking || defaultColumn;
  const known = rule.orders as readonly string[];
  const sort =
    (params.sort as string | undefined) || (known.includes(`${orderBy} ${defaultSort}`) ? defaultSort : 'asc');
  if (!known.includes(`${orderBy} ${sort}`)) throw keysetUnavailable();
  const { after, backward } = startBehind(params, rule, orderBy, sort);
  const direction = (sort === 'asc') === backward ? 'desc' : 'asc';
  return { kind: 'keyset', perPage, orderBy, sort: direction, backward, after };
}

type Start = Pick<KeysetRequest, 'after' | 'backward'>;

function startBehind(params: Raw, rule: KeysetRule, orderBy: string, sort: string): Start {
  if (rule.by === 'id') {
    const id = String(params[sort === 'asc' ? 'id_after' : 'id_before'] ?? '');
    return { after: /^\d{1,15}$/.test(id) ? { value: Number(id), id: Number(id) } : null, backward: false };
  }
  const cursor = params.cursor as string | undefined;
  return cursor ? readCursor(cursor, orderBy) : { after: null, backward: false };
}

/** The cursor of a list that is ordered by id. */
export const idCursor: ParameterType<string> = {
  ...string,
  read(raw, name, problems) {
    const cursor = string.read(raw, name, problems);
    return cursor ? (parsedCursor(cursor, 'id') === null ? problems.invalid(name) : cursor) : cursor;
  },
};

const cursorInvalid = () => new HttpError(400, { error: 'cursor is invalid' });

function readCursor(cursor: string, orderBy: string): Start {
  const start = parsedCursor(cursor, orderBy);
  if (start === null) throw cursorInvalid();
  return start;
}

function parsedCursor(cursor: string, orderBy: string): Start | null {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const value = parsed[orderBy];
  const id = Number(parsed.id);
  const usable = (typeof value === 'string' && !value.includes('\u0000')) || Number.isSafeInteger(value);
  if (!usable || !Number.isSafeInteger(id) || (parsed._kd !== 'n' && parsed._kd !== 'p')) return null;
  return { after: { value: orderBy === 'id' ? id : (value as string | number), id }, backward: parsed._kd === 'p' };
}

/** Opaque to clients: the key of the row at the page's edge, and which way to go from it. */
function cursorAt(request: KeysetRequest, value: string | number, id: number, way: 'n' | 'p'): Cursor {
  const key = { [request.orderBy]: value, id, _kd: way };
  return { cursor: Buffer.from(JSON.stringify(key)).toString('base64url') };
}

/** Builds the page of a keyset list from one row more than asked for, in the order in which they were read. */
export function keysetPage<T extends { id: number }>(
  request: KeysetRequest,
  rows: readonly T[],
  rule: KeysetRule,
  keyOf: (row: T) => string | number = (row) => row.id,
): Page<T> {
  const more = rows.length > request.perPage;
  const read = rows.slice(0, request.perPage);
  const items = request.backward ? read.reverse() : read;
  const [first, last] = [items[0], items.at(-1)];
  if (first === undefined || last === undefined) return { items, total: null, more, keyset: { next: null } };
  if (rule.by === 'id') {
    const bound = request.sort === 'asc' ? 'id_after' : 'id_before';
    return { items, total: null, more, keyset: { next: { [bound]: String(last.id) } } };
  }
  // Whoever comes from a cursor has a page behind him: the one with the row that the cursor names.
  const hasNext = more || request.backward;
  const hasPrevious = request.backward ? more : request.after !== null;
  const next = hasNext ? cursorAt(request, keyOf(last), last.id, 'n') : null;
  const previous = hasPrevious ? cursorAt(request, keyOf(first), first.id, 'p') : null;
  return { items, total: null, more: hasNext, keyset: { next, previous } };
}

/** The headers of one answered page. `given` are all parameters of the request, as they came. */
export function pageHeaders(
  page: Page<unknown>,
  request: PageRequest,
  incoming: Incoming,
  given: Raw,
): Record<string, string> {
  const link = (changes: Raw) => {
    const { cursor: _cursor, id_after: _after, id_before: _before, page_token: _token, ...rest } = given;
    const base = page.keyset ? rest : given;
    const query = formatForm({ ...base, ...changes });
    return `${incoming.baseUrl}${incoming.path}?${query}`.replaceAll(',', '%2C');
  };
  if (page.keyset) return keysetHeaders(page.keyset, link, request.perPage);
  if (request.kind === 'keyset') return {};
  return offsetHeaders(page, request, link);
}

/** The whole of `Link` at most, and its link to the next page alone, in characters: clients take no header that is longer. */
const LONGEST_LINK = 8192;
const LONGEST_NEXT = 16_384;

/** All links; where they are too long, the way on; nothing where that is too long as well. */
function linkHeader(all: string, next: string): { readonly Link?: string } {
  if (all !== '' && all.length <= LONGEST_LINK) return { Link: all };
  return next !== '' && next.length <= LONGEST_NEXT ? { Link: next } : {};
}

function keysetHeaders(
  { next, previous }: NonNullable<Page<unknown>['keyset']>,
  link: (changes: Raw) => string,
  perPage: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const following = next ? `<${link({ ...next, per_page: perPage })}>; rel="next"` : '';
  Object.assign(headers, linkHeader(following, following));
  if (next?.cursor !== undefined) headers['X-Next-Cursor'] = next.cursor;
  if (previous?.cursor !== undefined) headers['X-Prev-Cursor'] = previous.cursor;
  return headers;
}

function offsetHeaders(
  { total, more, items }: Page<unknown>,
  { page, perPage }: OffsetRequest,
  link: (changes: Raw) => string,
): Record<string, string> {
  const pages = total === null ? null : Math.max(1, Math.ceil(total / perPage));
  const to = (number: number, rel: string) => `<${link({ page: number, per_page: perPage })}>; rel="${rel}"`;
  const previous = page > 1 && (items.length > 0 || (pages !== null && page <= pages)) ? page - 1 : null;
  const next = more ? page + 1 : null;
  const links = [
    previous === null ? '' : to(previous, 'prev'),
    next === null ? '' : to(next, 'next'),
    to(1, 'first'),
    pages === null ? '' : to(pages, 'last'),
  ];
  const headers: Record<string, string> = {
    ...linkHeader(links.filter((entry) => entry !== '').join(', '), links[1] as string),
    'X-Page': String(page),
    'X-Per-Page': String(perPage),
    'X-Next-Page': next === null ? '' : String(next),
    'X-Prev-Page': previous === null ? '' : String(previous),
  };
  if (total !== null && pages !== null) {
    headers['X-Total'] = String(total);
    headers['X-Total-Pages'] = String(pages);
  }
  return headers;
}
