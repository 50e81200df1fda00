import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { createRegistry } from '../server/routing/registry.ts';
import { describeAccess } from './access-sentences.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';
import { buildOpenApiDocument } from './openapi.ts';
import {
  BODY_DESCRIPTIONS,
  PARAMETER_DESCRIPTIONS,
  PATH_PARAMETER_DESCRIPTIONS,
  QUERY_DESCRIPTIONS,
  SUFFICIENT_PARAMETER_NAMES,
} from './parameter-descriptions.ts';
import { TAG_GROUPS } from './tags.ts';

// What the OpenAPI document says about operations, parameters and fields.

// biome-ignore lint/suspicious/noExplicitAny: a document is reached into by name
type Document = any;

const registry = createRegistry(resourceModules);
const endpoints = registry.endpoints.filter(({ outsideApi }) => !outsideApi);
const document: Document = JSON.parse(
  JSON.stringify(await buildOpenApiDocument(registry, { url: 'http://hearth.test', version: '1' })),
);
const operations: Document[] = Object.entries<Document>(document.paths).flatMap(([path, item]) =>
  Object.values<Document>(item).map((operation) => ({ path, ...operation })),
);

interface NamedDescription {
  readonly operation: string;
  readonly name: string;
  readonly description: string | undefined;
}

const parameters: NamedDescription[] = operations.flatMap((operation) => {
  const { operationId, parameters = [], requestBody } = operation;
  const schema = Object.values<Document>(requestBody?.content ?? {})[0]?.schema;
  const body = schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)];
  return [
    ...parameters.map(({ name, description }: Document) => [name.replace('[]', ''), description]),
    ...Object.entries<Document>(body?.properties ?? {}).map(([name, { description }]) => [name, description]),
  ].map(([name, description]) => ({ operation: operationId, name, description }));
});

test('every operation has a description of its own', () => {
  assert.deepEqual(
    endpoints.filter(({ description }) => description === '').map(({ source, name }) => `${source} ${name}`),
    [],
  );
});

test('every parameter has a description, or a name that says everything', () => {
  const missing = parameters.filter(
    ({ name, description }) => description === undefined && !SUFFICIENT_PARAMETER_NAMES.has(name),
  );
  assert.deepEqual(
    missing.map(({ operation, name }) => `${operation} ${name}`),
    [],
  );
});

test('no description repeats the summary', () => {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z ]/g, '')
      .trim();
  const repeating = endpoints.filter(({ summary, description }) => plain(summary) === plain(description));
  assert.deepEqual(
    repeating.map(({ name }) => name),
    [],
  );
});

/** Words that a sentence may have. */
const MAX_WORDS = 30;

function* listTexts(value: Document, path = ''): Generator<[path: string, text: string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries<Document>(value)) {
    if (/^(?:examples?|default|enum|const)$/.test(key)) continue;
    if (key === 'description' && typeof inner === 'string') yield [path, inner];
    else yield* listTexts(inner, `${path}/${key}`);
  }
}

test(`no sentence has ${MAX_WORDS} words or more`, () => {
  // The messages of errors are not sentences of the document.
  const texts = [...listTexts(document)].filter(([path]) => !/responses\/[345]/.test(path));
  const long = texts.flatMap(([path, text]) =>
    text
      .replaceAll(/`[^`]*`/g, 'code')
      .split(/(?<=[.!?:;])\s+|\n\n/)
      .filter((sentence) => sentence.split(/\s+/).length >= MAX_WORDS)
      .map((sentence) => `${path}: ${sentence}`),
  );
  assert.deepEqual(long, []);
});

test('states who may call each endpoint', () => {
  const unknown = endpoints.flatMap((endpoint) =>
    describeAccess(endpoint).unknownPhrases.map((phrase) => `${endpoint.access.label}: ${phrase}`),
  );
  assert.deepEqual(unknown, [], 'add these phrases to access-sentences.ts');
  const sentencesOf = (name: string) => describeAccess(endpoints.find((endpoint) => endpoint.name === name)!).text;
  assert.equal(
    sentencesOf('listTree'),
    'Allowed to everyone who can see the project; a private one requires at least the role Reporter. Needs no token where the resource is public.',
  );
  assert.equal(sentencesOf('createProjectMilestone'), 'Requires at least the role Planner in the project.');
  assert.equal(sentencesOf('listFeatures'), 'Requires an administrator.');
});

test('every description in the tables belongs to a parameter or field that exists', () => {
  const names = new Set(parameters.map(({ name }) => name));
  const unused = (table: Readonly<Record<string, string>>) =>
    Object.keys(table).filter((name) => !names.has(name.replace(/^.*\{(\w+)\}$/, '$1')));
  assert.deepEqual(unused(PARAMETER_DESCRIPTIONS), []);
  assert.deepEqual(unused(PATH_PARAMETER_DESCRIPTIONS), []);
  assert.deepEqual(unused({ ...QUERY_DESCRIPTIONS, ...BODY_DESCRIPTIONS }), []);
  const fields = new Set<string>();
  const visit = (value: Document): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const name of Object.keys(value.properties ?? {})) fields.add(name);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(document.components.schemas);
  assert.deepEqual(
    Object.keys(FIELD_DESCRIPTIONS).filter((name) => !fields.has(name.split('.').at(-1)!)),
    [],
  );
});

test('every resource has a tag with a description, and every tag a resource', () => {
  const folders = new Set(endpoints.map(({ folder }) => folder.split('/').at(-1)));
  const tagged = TAG_GROUPS.flatMap(({ tags }) => Object.keys(tags));
  assert.deepEqual(tagged.toSorted(), [...folders].toSorted());
  assert.equal(document.tags.length, tagged.length);
  assert.ok(document['x-tagGroups'].every(({ name }: { name: string }) => name !== 'Others'));
});
