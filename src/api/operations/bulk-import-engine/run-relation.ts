import { createHash } from 'node:crypto';
import { DatabaseUnavailable, type Transaction } from '#database/database.ts';
import { isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { type Parameters, type ParameterValues, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { isFailure } from '#runtime/failure.ts';
import type {
  ChildRelation,
  ImportTarget,
  Relation,
  SourceGroupOrProject,
  SourceObjectRef,
  StoreElementResult,
  UserMapping,
} from '../bulk-import-relations/index.ts';
import {
  CallFailed,
  DestinationDeleted,
  ImporterBlocked,
  type ImportFailure,
  ImportStopped,
  ResumeLater,
  recordFailure,
  toImportFailure,
} from './failures.ts';
import { type EntityRun, getImportIds, loadTarget } from './running-entity.ts';
import type { SourceResponse } from './source.ts';
import { callSource, formatUnsuccessfulResponse, mapSourceUsers } from './source-calls.ts';
import {
  findStoredObjects,
  incrementImportedCount,
  insertStoredObject,
  type TrackerRow,
  updateEntity,
  updateImport,
  updateTracker,
} from './store.ts';

// Copies the elements of one relation, page by page (contract/operations.md §1.4).

/** Fields that a relation and a child list have in common. */
interface ListDefinition {
  /** Name of the relation in failure records. */
  readonly relation: string;
  readonly kind: string;
  readonly fields: Parameters;
  readonly key?: (element: never) => string | number;
  readonly referencedUsers?: Relation['referencedUsers'];
  readonly toTitleAndUrl?: Relation['toTitleAndUrl'];
  readonly lock?: (target: ImportTarget) => string | readonly string[];
}

interface ParsedElement {
  readonly key: string;
  readonly element: ParameterValues<Parameters>;
}

const PER_PAGE = 100;
/** Maximum number of elements of a page: a source may ignore `per_page`. */
const MAX_ELEMENTS = 1000;
/** Maximum number of pages of one list, even if the source announces more. */
const MAX_PAGES = 10_000;
/** Maximum number of pages of one child list. */
const MAX_CHILD_PAGES = 1000;

/** Imports one relation from its next page on. Throws ResumeLater after the deadline of the run, at the end of a page. */
export async function runRelation(run: EntityRun, tracker: TrackerRow, relation: Relation): Promise<void> {
  const { database, log } = run.services;
  const target = await loadTarget(database.forRequest().reader, run);
  const listPath = relation.list[target.source.kind]?.(target.source);
  if (listPath === undefined || relation.isEnabled?.(target) === false) return endRelation(run, tracker, 'skipped');
  let isStarted = tracker.status !== 'created';
  let previousFingerprint: string | null = null;
  for (let page = tracker.next_page ?? 1; ; page++) {
    const response = await fetchPage(run, tracker, relation, listPath, page);
    if (response === null) return;
    // Starts only after the first successful response, so that a failed call keeps the default rows of the destination.
    if (!isStarted) await startRelation(run, tracker, relation);
    isStarted = true;
    const elements = response.json as readonly unknown[];
    const currentFingerprint = hashElementIds(elements);
    if (currentFingerprint !== null && currentFingerprint === previousFingerprint)
      return failRelation(run, tracker, toRepeatedPageFailure(relation.name));
    previousFingerprint = currentFingerprint;
    await storePage(run, tracker, relation, target, elements);
    const nextPage = hasNextPage(response, run, elements) ? page + 1 : null;
    await finishPage(run, tracker, nextPage, elements.length, parseTotal(response));
    log.info({ ...getImportIds(run), relation: relation.name, page, elements: elements.length }, 'A page was imported');
    if (nextPage === null) return;
    if (nextPage > MAX_PAGES) return failRelation(run, tracker, toTooManyPagesFailure(relation.name));
    if (run.now() > run.deadline) throw new ResumeLater(run.now());
  }
}

/** Returns a hash of the ids of a page, to detect a source that repeats a page; null for an empty page. */
function hashElementIds(elements: readonly unknown[]): string | null {
  if (elements.length === 0) return null;
  const hash = createHash('sha256');
  for (const element of elements)
    hash.update(`${JSON.stringify(isParameterObject(element) ? (element.id ?? element.name ?? element) : element)} `);
  return hash.digest('hex');
}

const toRepeatedPageFailure = (relation: string): ImportFailure => ({
  step: 'extractor',
  class: 'BulkImports::Error',
  message: `The source lists the same ${relation} again and again`,
});

const toTooManyPagesFailure = (relation: string): ImportFailure => ({
  step: 'extractor',
  class: 'BulkImports::Error',
  message: `The source lists too many ${relation}`,
});

/** Prepares the destination for the relation and marks the relation as started, in one transaction. */
async function startRelation(run: EntityRun, tracker: TrackerRow, relation: Relation): Promise<void> {
  await run.services.runUnitOfWork(run.importer, async (uow) => {
    await relation.before?.(uow, await loadTarget(uow, run));
    await updateTracker(uow, tracker.id, { status: 'started' });
  });
}

/** Fetches a page of the list. Returns null if the relation ended, because it was skipped or failed. */
async function fetchPage(
  run: EntityRun,
  tracker: TrackerRow,
  relation: Relation,
  listPath: string,
  page: number,
): Promise<SourceResponse | null> {
  try {
    const path = getPagePath(listPath, page);
    const response = await callSource(run, tracker, path);
    if (isList(response)) return response;
    if (page === 1 && relation.unavailableStatuses?.includes(response.status))
      await endRelation(run, tracker, 'skipped');
    else await failRelation(run, tracker, toPageFailure(response, path));
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await failRelation(run, tracker, error.failure);
  }
  return null;
}

const getPagePath = (listPath: string, page: number) =>
  `${listPath}${listPath.includes('?') ? '&' : '?'}page=${page}&per_page=${PER_PAGE}`;

/** Returns whether the response is a 2xx with a list of acceptable length. */
const isList = ({ status, json: value }: SourceResponse): boolean =>
  status >= 200 && status <= 299 && Array.isArray(value) && value.length <= MAX_ELEMENTS;

function toPageFailure(response: SourceResponse, path: string): ImportFailure {
  if (response.status < 200 || response.status > 299)
    return new CallFailed(formatUnsuccessfulResponse(response, path)).failure;
  return { step: 'extractor', class: 'BulkImports::Error', message: 'The response of the source is not a list' };
}

/** Returns whether the list has a next page. An empty page is always the last one. */
function hasNextPage(
  response: SourceResponse,
  { sourceClient: source }: EntityRun,
  elements: readonly unknown[],
): boolean {
  if (elements.length === 0) return false;
  const nextPageHeader = response.header('x-next-page');
  return nextPageHeader !== null ? nextPageHeader.trim() !== '' : hasNextLink(response.header('link'), source.baseUrl);
}

/** Returns whether a Link header such as `<https://src.example/api/v4/...>; rel="next"` has a next page on the source itself. */
function hasNextLink(link: string | null, baseUrl: string): boolean {
  const nextLink = (link ?? '').split(',').find((part) => /;\s*rel="?next"?/.test(part));
  const url = nextLink === undefined ? undefined : /^\s*<([^>]*)>/.exec(nextLink)?.[1];
  return url !== undefined && URL.parse(url)?.origin === URL.parse(baseUrl)?.origin;
}

/** Returns the number of elements that the source announces; null if it announces none. */
function parseTotal(response: SourceResponse): number | null {
  const total = response.header('x-total');
  return total !== null && /^\d{1,9}$/.test(total) ? Number(total) : null;
}

/** Stores the number of the next page, or that the relation finished, with the counts and the time of the progress. */
async function finishPage(
  { services, entity }: EntityRun,
  tracker: TrackerRow,
  nextPage: number | null,
  elementCount: number,
  total: number | null,
): Promise<void> {
  await services.database.transaction(async (tx) => {
    const row = await tx
      .updateTable('bulk_import_trackers')
      .set((eb) => ({ fetched_count: eb('fetched_count', '+', elementCount) }))
      .where('id', '=', tracker.id)
      .returning('fetched_count')
      .executeTakeFirst();
    await updateTracker(tx, tracker.id, {
      source_count: total ?? row?.fetched_count ?? elementCount,
      ...(nextPage === null ? { status: 'finished' } : { next_page: nextPage }),
    });
    await recordProgress(tx, entity);
  });
}

/** Sets `updated_at` of the entity and its import, which times out a day after its last progress. */
export async function recordProgress(
  tx: Transaction,
  entity: { readonly id: number; readonly bulk_import_id: number },
) {
  await updateEntity(tx, entity.id, {});
  await updateImport(tx, entity.bulk_import_id, {});
}

/** Ends the relation without a failure. */
async function endRelation(
  { services }: EntityRun,
  tracker: TrackerRow,
  status: 'finished' | 'skipped',
): Promise<void> {
  await services.database.transaction((tx) => updateTracker(tx, tracker.id, { status }));
}

/** Marks the relation as failed; the entity continues with the next one. */
export async function failRelation(run: EntityRun, tracker: TrackerRow, failure: ImportFailure): Promise<void> {
  await run.services.database.transaction(async (tx) => {
    await recordFailure(tx, { ...getImportIds(run), relation: tracker.relation }, failure);
    await updateTracker(tx, tracker.id, { status: 'failed' });
  });
}

/** Stores the elements of a page and their child lists. */
async function storePage(
  run: EntityRun,
  tracker: TrackerRow,
  relation: Relation,
  target: ImportTarget,
  page: readonly unknown[],
): Promise<void> {
  const definition = { ...relation, relation: relation.name };
  const countStored = (tx: Transaction) => incrementImportedCount(tx, tracker.id);
  const store = (uow: never, currentTarget: ImportTarget, element: never, users: UserMapping) =>
    relation.store(uow, currentTarget, element, users);
  for await (const { element, key, id } of storeElements(run, tracker, definition, target, page, {
    store,
    countStored,
  })) {
    for (const child of relation.children ?? []) {
      await storeChildren(run, tracker, relation, child, target.source, { element, key, id });
    }
  }
}

/** Functions that store and count an element. Elements of child lists are not counted. */
interface StoreFunctions {
  readonly store: (uow: never, target: ImportTarget, element: never, users: UserMapping) => Promise<StoreElementResult>;
  readonly countStored?: (tx: Transaction) => Promise<void>;
}

/** Stores the new elements of a page in order. Yields every stored element with its local id. */
async function* storeElements(
  run: EntityRun,
  tracker: TrackerRow,
  definition: ListDefinition,
  target: ImportTarget,
  page: readonly unknown[],
  functions: StoreFunctions,
): AsyncGenerator<ParsedElement & { readonly id: number }> {
  const parsedElements = page.map((raw) => parseElement(definition, raw));
  const validElements = parsedElements.filter((parsedElement) => 'key' in parsedElement);
  const { database } = run.services;
  const storedObjects = new Map(
    await findStoredObjects(
      database.forRequest().reader,
      getImportIds(run),
      definition.kind,
      validElements.map(({ key }) => key),
    ),
  );
  const newElements = validElements.filter(({ key }) => !storedObjects.has(key));
  const sourceUsers = newElements.flatMap(({ element }) => [...(definition.referencedUsers?.(element as never) ?? [])]);
  const users = await mapSourceUsers(run, tracker, sourceUsers);
  for (const parsedElement of parsedElements) {
    if (run.signal.aborted) throw new ImportStopped();
    if (!('key' in parsedElement)) {
      await recordElementFailure(run, definition, parsedElement);
      continue;
    }
    const id =
      storedObjects.get(parsedElement.key) ??
      (await storeElement(run, definition, target, parsedElement, users, functions));
    if (id === null) continue;
    storedObjects.set(parsedElement.key, id);
    yield { ...parsedElement, id };
  }
}

/** Errors that end the run, instead of failing one element. */
const RUN_ENDING_ERRORS = [ImportStopped, ImporterBlocked, DestinationDeleted, DatabaseUnavailable];

/** Stores an element and its mapping in one transaction. Returns the local id, or null if nothing was stored. */
async function storeElement(
  run: EntityRun,
  definition: ListDefinition,
  target: ImportTarget,
  { element, key }: ParsedElement,
  users: UserMapping,
  { store, countStored }: StoreFunctions,
): Promise<number | null> {
  const objectRef = definition.toTitleAndUrl?.(element as never);
  try {
    const storeResult = await run.services.runUnitOfWork(
      run.importer,
      async (uow) => {
        const currentTarget = await loadTarget(uow, run);
        // Another worker took over this job after its lease expired, and stored the element first.
        const existingId = (await findStoredObjects(uow, currentTarget, definition.kind, [key])).get(key);
        if (existingId !== undefined) return existingId;
        const id = await store(uow as never, currentTarget, element as never, users);
        if (isFailure(id) || id === null) return id;
        await insertStoredObject(uow, currentTarget, definition.kind, key, id);
        await countStored?.(uow);
        return id;
      },
      { lock: definition.lock?.(target) },
    );
    if (!isFailure(storeResult)) return storeResult;
    await recordElementFailure(run, definition, { ...toImportFailure(storeResult), objectRef });
  } catch (error) {
    if (RUN_ENDING_ERRORS.some((errorClass) => error instanceof errorClass)) throw error;
    run.services.log.warn(
      { ...getImportIds(run), relation: definition.relation, key, err: error },
      'An object was not imported',
    );
    await recordElementFailure(run, definition, {
      step: 'loader',
      class: 'StandardError',
      message: 'It could not be stored',
      objectRef,
    });
  }
  return null;
}

async function recordElementFailure(
  run: EntityRun,
  { relation }: ListDefinition,
  failure: ImportFailure,
): Promise<void> {
  await run.services.database.transaction((tx) => recordFailure(tx, { ...getImportIds(run), relation }, failure));
}

/** Maximum length of a key, in characters. */
const MAX_KEY_LENGTH = 255;

/** Validates an element of the source. Returns it with its key, or the failure. */
function parseElement(definition: ListDefinition, raw: unknown): ParsedElement | ImportFailure {
  if (!isParameterObject(raw)) return toElementFailure('An element is no object', undefined);
  const problems = new Problems();
  const element = readParameters(definition.fields, raw, problems);
  if (problems.any) {
    const fields = Object.entries(problems.fields).flatMap(([name, texts]) => texts.map((text) => `${name} ${text}`));
    return toElementFailure([...problems.texts, ...fields].join(', '), definition.toTitleAndUrl && toRawObjectRef(raw));
  }
  const key = String(definition.key?.(element as never) ?? element.id);
  return key.length > MAX_KEY_LENGTH
    ? toElementFailure('The key of an element is too long', undefined)
    : { key, element };
}

const toElementFailure = (message: string, objectRef: SourceObjectRef | undefined): ImportFailure => ({
  step: 'transformer',
  class: 'BulkImports::Error',
  message,
  objectRef,
});

/** Returns the title and URL of an element that failed validation. */
function toRawObjectRef({ title, web_url: url }: RawParameters): SourceObjectRef {
  const toText = (value: unknown) => (typeof value === 'string' ? value : null);
  return { title: toText(title), url: toText(url) };
}

/** Stores a child list of an element, always from its first page. A mapping row marks the list as completed. */
async function storeChildren(
  run: EntityRun,
  tracker: TrackerRow,
  relation: Relation,
  child: ChildRelation,
  source: SourceGroupOrProject,
  parent: ParsedElement & { readonly id: number },
): Promise<void> {
  const { database } = run.services;
  const name = `${relation.name}, ${child.name}`;
  const childListKind = `${relation.kind}:${child.name}`;
  if (
    (await findStoredObjects(database.forRequest().reader, getImportIds(run), childListKind, [parent.key])).has(
      parent.key,
    )
  )
    return;
  const definition = { ...child, relation: name };
  const store = (uow: never, currentTarget: ImportTarget, element: never, users: UserMapping) =>
    child.store(uow, currentTarget, { id: parent.id, element: parent.element }, element, users);
  const target = await loadTarget(database.forRequest().reader, run);
  const listPath = child.list(source, parent.element);
  try {
    for (let page = 1; page <= MAX_CHILD_PAGES; page++) {
      const path = getPagePath(listPath, page);
      const response = await callSource(run, tracker, path);
      if (!isList(response)) {
        await recordElementFailure(run, definition, toPageFailure(response, path));
        break;
      }
      const elements = response.json as readonly unknown[];
      // The generator stores the elements; children of children do not exist, so their ids are not used.
      for await (const _ of storeElements(run, tracker, definition, target, elements, { store }));
      if (!hasNextPage(response, run, elements)) break;
    }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    await recordElementFailure(run, definition, error.failure);
  }
  await database.transaction((tx) => insertStoredObject(tx, getImportIds(run), childListKind, parent.key, parent.id));
}
