import { createHash } from 'node:crypto';
import { DatabaseUnavailable, type Transaction } from '#database/database.ts';
import { isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { type Parameters, type ParameterValues, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { isFailure } from '#runtime/failure.ts';
import type {
  ChildRelation,
  ImportProblem,
  Relation,
  SourcePlace,
  StoredElement,
  Target,
  Users,
} from '../bulk-import-relations/index.ts';
import { failureOf, type ImportFailure, recordFailure } from './failures.ts';
import { CallFailed, ComeBack, DestinationGone, ShutOut, Stopped } from './interruptions.ts';
import { ids, type Running, targetNow } from './running-entity.ts';
import type { SourceAnswer } from './source.ts';
import { ask, unsuccessful } from './source-calls.ts';
import {
  countImported,
  keepObject,
  setEntity,
  setImport,
  setTracker,
  storedObjects,
  type TrackerRow,
} from './store.ts';
import { usersOf } from './user-mapping.ts';

/** Copies what one relation lists, page by page (contract/operations.md §1.4). */

/** What a relation and a list below one of its elements have in common. */
interface Kind {
  /** As failures bear it. */
  readonly relation: string;
  readonly kind: string;
  readonly fields: Parameters;
  readonly key?: (element: never) => string | number;
  readonly people?: Relation['people'];
  readonly told?: Relation['told'];
  readonly turn?: (target: Target) => string | readonly string[];
}

interface Listed {
  readonly key: string;
  readonly element: ParameterValues<Parameters>;
}

const PER_PAGE = 100;
/** Elements that a page may have: a source may ignore how many were asked for. */
const MOST_ELEMENTS = 1000;
/** Pages of one list, whatever a source says of the next one. */
const MOST_PAGES = 10_000;
const MOST_CHILD_PAGES = 1000;

export async function runRelation(running: Running, tracker: TrackerRow, relation: Relation): Promise<void> {
  const { database, log } = running.services;
  const target = await targetNow(database.forRequest().reader, running);
  const list = relation.list[target.source.kind]?.(target.source);
  if (list === undefined || relation.wanted?.(target) === false) return endRelation(running, tracker, 'skipped');
  let isBegun = tracker.status !== 'created';
  let before: string | null = null;
  for (let page = tracker.next_page ?? 1; ; page++) {
    const answer = await asked(running, tracker, relation, list, page);
    if (answer === null) return;
    // What it has by itself stays where the source tells nothing.
    if (!isBegun) await begin(running, tracker, relation);
    isBegun = true;
    const elements = answer.value as readonly unknown[];
    const said = fingerprint(elements);
    if (said !== null && said === before) return failRelation(running, tracker, sameAgain(relation.name));
    before = said;
    await storePage(running, tracker, relation, target, elements);
    const next = hasNext(answer, running, elements) ? page + 1 : null;
    await endPage(running, tracker, next, elements.length, totalOf(answer));
    log.info({ ...ids(running), relation: relation.name, page, elements: elements.length }, 'A page was imported');
    if (next === null) return;
    if (next > MOST_PAGES) return failRelation(running, tracker, tooMany(relation.name));
    if (running.now() > running.until) throw new ComeBack(running.now());
  }
}

/** What tells a page from the next one, if it has any elements. */
function fingerprint(elements: readonly unknown[]): string | null {
  if (elements.length === 0) return null;
  const hash = createHash('sha256');
  for (const element of elements)
    hash.update(`${isParameterObject(element) ? String(element.id ?? element.name) : ''} `);
  return hash.digest('hex');
}

const sameAgain = (relation: string): ImportFailure => ({
  step: 'extractor',
  class: 'BulkImports::Error',
  message: `The source lists the same ${relation} again and again`,
});

const tooMany = (relation: string): ImportFailure => ({
  step: 'extractor',
  class: 'BulkImports::Error',
  message: `The source lists too many ${relation}`,
});

async function begin(running: Running, tracker: TrackerRow, relation: Relation): Promise<void> {
  await running.services.runUnitOfWork(running.by, async (uow) => {
    await relation.before?.(uow, await targetNow(uow, running));
    await setTracker(uow, tracker.id, { status: 'started' });
  });
}

/** A page of the list; null: the relation has ended with it. */
async function asked(
  running: Running,
  tracker: TrackerRow,
  relation: Relation,
  list: string,
  page: number,
): Promise<SourceAnswer | null> {
  try {
    const path = paged(list, page);
    const answer = await ask(running, tracker, path);
    if (isList(answer)) return answer;
    if (page === 1 && relation.silentOn?.includes(answer.status)) await endRelation(running, tracker, 'skipped');
    else await failRelation(running, tracker, badList(answer, path));
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await failRelation(running, tracker, error.failure);
  }
  return null;
}

const paged = (list: string, page: number) =>
  `${list}${list.includes('?') ? '&' : '?'}page=${page}&per_page=${PER_PAGE}`;

const isList = ({ status, value }: SourceAnswer): boolean =>
  status >= 200 && status <= 299 && Array.isArray(value) && value.length <= MOST_ELEMENTS;

function badList(answer: SourceAnswer, path: string): ImportFailure {
  if (answer.status < 200 || answer.status > 299) return new CallFailed(unsuccessful(answer, path)).failure;
  return { step: 'extractor', class: 'BulkImports::Error', message: 'The answer of the source is no list' };
}

/** Behind a page without elements there is nothing, whatever the source says. */
function hasNext(answer: SourceAnswer, { source }: Running, elements: readonly unknown[]): boolean {
  if (elements.length === 0) return false;
  const next = answer.header('x-next-page');
  return next !== null ? next.trim() !== '' : linksToNext(answer.header('link'), source.base);
}

/** `<https://src.example/api/v4/...>; rel="next"`, on the source itself. */
function linksToNext(link: string | null, base: string): boolean {
  const next = (link ?? '').split(',').find((part) => /;\s*rel="?next"?/.test(part));
  const url = next === undefined ? undefined : /^\s*<([^>]*)>/.exec(next)?.[1];
  return url !== undefined && URL.parse(url)?.origin === URL.parse(base)?.origin;
}

function totalOf(answer: SourceAnswer): number | null {
  const total = answer.header('x-total');
  return total !== null && /^\d{1,9}$/.test(total) ? Number(total) : null;
}

/** The page is done: what comes next is kept, and that there was progress. */
async function endPage(
  { services, entity }: Running,
  tracker: TrackerRow,
  next: number | null,
  elements: number,
  total: number | null,
): Promise<void> {
  await services.database.transaction(async (tx) => {
    const row = await tx
      .updateTable('bulk_import_trackers')
      .set((eb) => ({ fetched_count: eb('fetched_count', '+', elements) }))
      .where('id', '=', tracker.id)
      .returning('fetched_count')
      .executeTakeFirst();
    await setTracker(tx, tracker.id, {
      source_count: total ?? row?.fetched_count ?? elements,
      ...(next === null ? { status: 'finished' } : { next_page: next }),
    });
    await touch(tx, entity);
  });
}

export async function touch(tx: Transaction, entity: { readonly id: number; readonly bulk_import_id: number }) {
  await setEntity(tx, entity.id, {});
  await setImport(tx, entity.bulk_import_id, {});
}

export async function endRelation(
  { services }: Running,
  tracker: TrackerRow,
  status: 'finished' | 'skipped',
): Promise<void> {
  await services.database.transaction((tx) => setTracker(tx, tracker.id, { status }));
}

/** The relation is given up; the next one follows. */
export async function failRelation(running: Running, tracker: TrackerRow, failure: ImportFailure): Promise<void> {
  await running.services.database.transaction(async (tx) => {
    await recordFailure(tx, { ...ids(running), relation: tracker.relation }, failure);
    await setTracker(tx, tracker.id, { status: 'failed' });
  });
}

async function storePage(
  running: Running,
  tracker: TrackerRow,
  relation: Relation,
  target: Target,
  page: readonly unknown[],
): Promise<void> {
  const kind = { ...relation, relation: relation.name };
  const counting = (tx: Transaction) => countImported(tx, tracker.id);
  const store = (uow: never, now: Target, element: never, users: Users) => relation.store(uow, now, element, users);
  for await (const { element, key, id } of stored(running, tracker, kind, target, page, { store, counting })) {
    for (const child of relation.children ?? []) {
      await storeChildren(running, tracker, relation, child, target.source, { element, key, id });
    }
  }
}

interface Storing {
  readonly store: (uow: never, target: Target, element: never, users: Users) => Promise<StoredElement>;
  readonly counting?: (tx: Transaction) => Promise<void>;
}

/** Stores what of a page is not here yet, in its order, and tells what each has become. */
async function* stored(
  running: Running,
  tracker: TrackerRow,
  kind: Kind,
  target: Target,
  page: readonly unknown[],
  storing: Storing,
): AsyncGenerator<Listed & { readonly id: number }> {
  const read = page.map((raw) => readElement(kind, raw));
  const listed = read.filter((one) => 'key' in one);
  const { database } = running.services;
  const known = new Map(
    await storedObjects(
      database.forRequest().reader,
      ids(running),
      kind.kind,
      listed.map(({ key }) => key),
    ),
  );
  const fresh = listed.filter(({ key }) => !known.has(key));
  const people = fresh.flatMap(({ element }) => [...(kind.people?.(element as never) ?? [])]);
  const users = await usersOf(running, tracker, people);
  for (const one of read) {
    if (running.signal.aborted) throw new Stopped();
    if (!('key' in one)) {
      await fail(running, kind, one);
      continue;
    }
    const id = known.get(one.key) ?? (await storeOne(running, kind, target, one, users, storing));
    if (id === null) continue;
    known.set(one.key, id);
    yield { ...one, id };
  }
}

/** What is nothing that is wrong with one element. */
const ENDS = [Stopped, ShutOut, DestinationGone, DatabaseUnavailable];

/** In one transaction, in which it is written down that it is here; null when it is not. */
async function storeOne(
  running: Running,
  kind: Kind,
  target: Target,
  { element, key }: Listed,
  users: Users,
  { store, counting }: Storing,
): Promise<number | null> {
  const told = kind.told?.(element as never);
  try {
    const done = await running.services.runUnitOfWork(
      running.by,
      async (uow) => {
        const now = await targetNow(uow, running);
        // Another process has come before this one, which took it for dead.
        const before = (await storedObjects(uow, now, kind.kind, [key])).get(key);
        if (before !== undefined) return before;
        const id = await store(uow as never, now, element as never, users);
        if (isFailure(id) || id === null) return id;
        await keepObject(uow, now, kind.kind, key, id);
        await counting?.(uow);
        return id;
      },
      { lock: kind.turn?.(target) },
    );
    if (!isFailure(done)) return done;
    await fail(running, kind, { ...failureOf(done), told });
  } catch (error) {
    if (ENDS.some((end) => error instanceof end)) throw error;
    running.services.log.warn(
      { ...ids(running), relation: kind.relation, key, err: error },
      'An object was not imported',
    );
    await fail(running, kind, { step: 'loader', class: 'StandardError', message: 'It could not be stored', told });
  }
  return null;
}

async function fail(running: Running, { relation }: Kind, failure: ImportFailure): Promise<void> {
  await running.services.database.transaction((tx) => recordFailure(tx, { ...ids(running), relation }, failure));
}

/** Characters of a key. */
const LONGEST_KEY = 255;

function readElement(kind: Kind, raw: unknown): Listed | ImportFailure {
  if (!isParameterObject(raw)) return unreadable('An element is no object', undefined);
  const problems = new Problems();
  const element = readParameters(kind.fields, raw, problems);
  if (problems.any) {
    const fields = Object.entries(problems.fields).flatMap(([name, texts]) => texts.map((text) => `${name} ${text}`));
    return unreadable([...problems.texts, ...fields].join(', '), kind.told && toldOf(raw));
  }
  const key = String(kind.key?.(element as never) ?? element.id);
  return key.length > LONGEST_KEY ? unreadable('The key of an element is too long', undefined) : { key, element };
}

const unreadable = (message: string, told: ImportProblem | undefined): ImportFailure => ({
  step: 'transformer',
  class: 'BulkImports::Error',
  message,
  told,
});

function toldOf({ title, web_url: url }: RawParameters): ImportProblem {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return { title: text(title), url: text(url) };
}

/** A list below an element, from its beginning: that it is done is written down when it is. */
async function storeChildren(
  running: Running,
  tracker: TrackerRow,
  relation: Relation,
  child: ChildRelation,
  source: SourcePlace,
  parent: Listed & { readonly id: number },
): Promise<void> {
  const { database } = running.services;
  const name = `${relation.name}, ${child.name}`;
  const done = `${relation.kind}:${child.name}`;
  if ((await storedObjects(database.forRequest().reader, ids(running), done, [parent.key])).has(parent.key)) return;
  const kind = { ...child, relation: name };
  const store = (uow: never, now: Target, element: never, users: Users) =>
    child.store(uow, now, { id: parent.id, element: parent.element }, element, users);
  const target = await targetNow(database.forRequest().reader, running);
  const list = child.list(source, parent.element);
  try {
    for (let page = 1; page <= MOST_CHILD_PAGES; page++) {
      const path = paged(list, page);
      const answer = await ask(running, tracker, path);
      if (!isList(answer)) {
        await fail(running, kind, badList(answer, path));
        break;
      }
      const elements = answer.value as readonly unknown[];
      for await (const _ of stored(running, tracker, kind, target, elements, { store }));
      if (!hasNext(answer, running, elements)) break;
    }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await fail(running, kind, error.failure);
  }
  await database.transaction((tx) => keepObject(tx, ids(running), done, parent.key, parent.id));
}
