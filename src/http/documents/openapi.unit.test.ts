import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { resourceModules } from '#api/index.ts';
import { open, signedIn } from '../access/access.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { rawEntity } from '../endpoint/entity.ts';
import { resourceModule } from '../endpoint/resource-module.ts';
import { created, objectSchema, ok, page, text } from '../endpoint/responses.ts';
import { describe, object, optional, required } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { arrayOf, integer, oneOf } from '../parameters/types.ts';
import { getFullPath } from '../server/routing/paths.ts';
import { createRegistry, type Registry } from '../server/routing/registry.ts';
import { buildOpenApiDocument } from './openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is reached into by name
type Document = any;

/** Returns the document as a client receives it. */
const documentOf = async (registry: Registry): Promise<Document> =>
  JSON.parse(JSON.stringify(await buildOpenApiDocument(registry, { url: 'http://hearth.test', version: '1' })));

const registry = createRegistry(resourceModules);
const document = await documentOf(registry);
const operations: Document[] = Object.entries(document.paths as Record<string, Record<string, Document>>).flatMap(
  ([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
);

test('contains exactly the routes below /api/v4', () => {
  const shapes = (paths: string[]) =>
    paths.map((path) => path.replace(/\{\w+\}|:\w+(\([^/]*\))?|\*\w+/g, '{}').replace(/\/$/, '')).sort();
  const served = registry.endpoints.filter(({ outsideApi: root }) => !root);
  assert.deepEqual(
    shapes(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)),
    shapes(served.map((one) => `${one.method} ${getFullPath(one)}`)),
  );
});

test('uses the names of the endpoints as operation ids, each once', () => {
  const served = registry.endpoints.filter(({ outsideApi: root }) => !root).map(({ name }) => name);
  assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), served.sort());
});

test('a path parameter that endpoints name differently has all of their names, and a description of its own for each', () => {
  const described = operations
    .filter(({ path }) => /\{epic_iid\}\/issues\/\{/.test(path))
    .map(({ method, path, parameters }) => {
      const { name, description } = parameters.findLast((parameter: Document) => parameter.in === 'path');
      assert.ok(path.endsWith(`/{${name}}`), path);
      return [method, name.split('_or_').sort().join(), description];
    });
  const names = 'epic_issue_id,issue_id';
  const ofAssociation = 'ID of the association, not of the issue.';
  assert.deepEqual(described.sort(), [
    ['delete', names, ofAssociation],
    ['post', names, 'Global ID of the issue, not its `iid`.'],
    ['put', names, ofAssociation],
  ]);
});

test('every reference resolves to a component', () => {
  const visit = (value: Document): void => {
    if (typeof value !== 'object' || value === null) return;
    if (typeof value.$ref === 'string') {
      const steps = value.$ref.replace(/^#\//, '').split('/');
      const target = steps.reduce((place: Document, step: string) => place?.[step], document);
      assert.ok(target, value.$ref);
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(document);
});

test('every schema is valid in the dialect of OpenAPI 3.1, JSON Schema 2020-12', () => {
  const schemas: [string, Document][] = Object.entries(document.components.schemas);
  const visit = (value: Document, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (value.schema !== undefined) schemas.push([where, value.schema]);
    else for (const [key, inner] of Object.entries(value)) visit(inner, `${where}/${key}`);
  };
  visit(document.paths, '');
  visit(document.components.headers, 'headers');
  const ajv = new Ajv2020();
  const invalid = schemas.filter(([, schema]) => ajv.validateSchema(schema) !== true).map(([where]) => where);
  assert.deepEqual(invalid, []);
  assert.ok(schemas.length > operations.length);
});

test('declares the parameters of every path, each with one name', () => {
  for (const { path, operationId, parameters = [] } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = parameters.filter((one: Document) => one.in === 'path').map((one: Document) => one.name);
    assert.deepEqual(declared, named, operationId);
    const all = parameters.map((one: Document) => `${one.in} ${one.name}`);
    assert.equal(new Set(all).size, all.length, operationId);
  }
  const places = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
  assert.equal(new Set(places).size, places.length);
});

const operationOf = (name: string): Document => operations.find(({ operationId }) => operationId === name);

/** Their one answer is a refusal (contract/runners.md §3.8, §4.10). */
const ALWAYS_REFUSED = ['discoverRouter', 'listPackagePipelines'];

test('every operation has the required fields', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.ok(document.info.title && document.info.version);
  const tags = document.tags.map(({ name }: { name: string }) => name);
  for (const operation of operations) {
    assert.ok(operation.summary, operation.operationId);
    assert.ok(
      ALWAYS_REFUSED.includes(operation.operationId) ||
        Object.keys(operation.responses).some((status) => status < '400'),
      operation.operationId,
    );
    assert.ok(
      operation.tags.every((tag: string) => tags.includes(tag)),
      operation.operationId,
    );
    assert.match(operation['x-source'], /^[\w-]+(\/[\w-]+)+\.ts$/);
    for (const { in: place, schema } of operation.parameters ?? []) {
      assert.ok(place === 'path' || place === 'query');
      assert.ok(schema, operation.operationId);
    }
  }
});

test('examples contain no secrets', () => {
  assert.doesNotMatch(JSON.stringify(document), /glpat-\w|glrt-\w|gloas-\w/);
});

const Thing = objectSchema('Thing', { id: Type.Integer(), owner: objectSchema('Owner', { name: Type.String() }) });
const thing = { id: 1, owner: { name: 'a' } };
const small = createRegistry({
  things: resourceModule({
    endpoints: {
      listThings: endpoint({
        get: '/things/:id/parts',
        summary: 'List',
        access: open(),
        params: {
          state: describe(optional(oneOf('open', 'closed'), 'open'), 'Which ones'),
          ids: optional(arrayOf(integer)),
          range: optional(object({ end: required(integer) })),
        },
        response: page(rawEntity(Thing)),
        handle: () => ({ items: [thing], total: 1, hasMore: false }),
      }),
      createThing: endpoint({
        post: '/things/:thing_id/parts',
        summary: 'Create',
        access: signedIn(),
        params: { thing_id: required(integer), name: required(string) },
        errors: { taken: [409, 'Name {name} is taken'], gone: [409, { error: 'gone' }] },
        response: created(rawEntity(Thing)),
        handle: () => thing,
      }),
      readDigits: endpoint({
        get: '/digits/:id(^\\d+$)',
        summary: 'Read',
        access: open(),
        response: text,
        handle: () => '',
      }),
    },
  }),
});

test('lists the parameters of a read, those of pages last', async () => {
  const { paths } = await documentOf(small);
  assert.deepEqual(Object.keys(paths), ['/api/v4/digits/{id}', '/api/v4/things/{id_or_thing_id}/parts']);
  const { get } = paths['/api/v4/things/{id_or_thing_id}/parts'];
  assert.deepEqual(get.parameters.slice(0, 4), [
    { name: 'id_or_thing_id', in: 'path', required: true, schema: { type: 'string', maxLength: 4096 } },
    {
      name: 'state',
      in: 'query',
      required: false,
      description: 'Which ones',
      schema: { type: 'string', enum: ['open', 'closed'], default: 'open' },
    },
    {
      name: 'ids[]',
      in: 'query',
      required: false,
      schema: { type: 'array', items: { type: 'integer' }, maxItems: 1000 },
    },
    {
      name: 'range',
      in: 'query',
      required: false,
      description: 'First and last line: `range[start]` and `range[end]`.',
      style: 'deepObject',
      explode: true,
      schema: { type: 'object', required: ['end'], properties: { end: { type: 'integer' } } },
    },
  ]);
  assert.deepEqual(
    get.parameters.slice(4).map(({ name }: Document) => name),
    ['page', 'per_page'],
  );
});

test('a read has the schema and headers of its response, and optional authentication if it is public', async () => {
  const { get } = (await documentOf(small)).paths['/api/v4/things/{id_or_thing_id}/parts'];
  assert.deepEqual(get.responses[200].content['application/json'].schema, {
    type: 'array',
    items: { $ref: '#/components/schemas/Thing' },
  });
  assert.ok(get.responses[200].headers['X-Total']);
  assert.deepEqual(get.security[0], {});
});

test('a write has its body, its error responses and its security schemes', async () => {
  const { paths, components } = await documentOf(small);
  const { post } = paths['/api/v4/things/{id_or_thing_id}/parts'];
  assert.deepEqual(post.parameters, [
    { name: 'id_or_thing_id', in: 'path', required: true, schema: { type: 'integer' } },
  ]);
  for (const { schema } of Object.values<Document>(post.requestBody.content))
    assert.deepEqual(schema, { $ref: '#/components/schemas/CreateThingBody' });
  const body = components.schemas.CreateThingBody;
  const name = { type: 'string', maxLength: 4096 };
  assert.deepEqual(body, { type: 'object', required: ['name'], properties: { name } });
  assert.deepEqual(post.responses[409].content['application/json'].examples, {
    taken: { value: { message: 'Name {name} is taken' } },
    gone: { value: { error: 'gone' } },
  });
  assert.equal(post.responses[409].description, 'Conflict. Messages: `Name {name} is taken`, `gone`.');
  const ways = post.security.map((way: object) => Object.keys(way).join());
  assert.deepEqual(ways, ['privateToken', 'bearer', 'oauth2', 'session']);
  assert.deepEqual(Object.keys(components.securitySchemes), ways);
  const { authorizationCode } = components.securitySchemes.oauth2.flows;
  assert.equal(authorizationCode.authorizationUrl, 'http://hearth.test/oauth/authorize');
  assert.deepEqual(components.schemas.Thing.properties.owner, {
    $ref: '#/components/schemas/Owner',
    description: 'User that owns it.',
  });
  assert.equal(paths['/api/v4/digits/{id}'].get.parameters[0].schema.pattern, '^\\d+$');
});

test('shows the errors of access checks, and the bodies of file and commit writes', () => {
  const { paths, components } = document;
  const files = paths['/api/v4/projects/{id}/repository/files/{file_path}'];
  assert.ok(files.get.responses[429].content['application/json'].examples.blobTooLarge);
  assert.ok(files.get.responses[404].content['application/json'].examples.commitMissing);
  const blame = paths['/api/v4/projects/{id}/repository/files/{file_path}/blame'].get.responses;
  assert.ok(blame[400].content['application/json'].examples.rangeReversed);
  const commits = paths['/api/v4/projects/{id}/repository/commits'];
  for (const { requestBody } of [files.post, files.put, commits.post]) {
    const name = requestBody.content['application/json'].schema.$ref.split('/').at(-1);
    const { required } = components.schemas[name];
    assert.deepEqual(required.slice(0, 2), ['branch', 'commit_message']);
  }
});

test('a body is required where one of its parameters, or one of several, must be sent', () => {
  const isRequired = (name: string) => operationOf(name).requestBody.required;
  for (const name of [
    'createProject',
    'createSnippet',
    'createIssue',
    'updateIssue',
    'updateMergeRequest',
    'createFile',
    'updateApplicationSettings',
  ])
    assert.equal(isRequired(name), true, name);
  for (const name of ['updateNotificationSetting', 'mergeMergeRequest']) assert.equal(isRequired(name), false, name);
});

test('shows status, media types and headers of uploads, downloads and job responses', () => {
  const successes = (name: string) =>
    Object.entries(operationOf(name).responses as Record<string, Document>)
      .filter(([status]) => status < '300')
      .map(([status, { content = {}, headers = {} }]) => [status, Object.keys(content), Object.keys(headers)]);
  assert.deepEqual(successes('requestJob'), [
    ['201', ['application/json'], ['X-GitLab-Last-Update']],
    ['204', [], []],
  ]);
  assert.deepEqual(successes('uploadArtifacts'), [['201', [], []]]);
  assert.deepEqual(successes('appendTrace'), [['202', [], ['Job-Status', 'Range', 'X-GitLab-Trace-Update-Interval']]]);
  assert.deepEqual(successes('getTrace'), [
    ['200', ['text/plain'], ['Accept-Ranges', 'Content-Range']],
    ['206', ['text/plain'], ['Accept-Ranges', 'Content-Range']],
  ]);
  assert.deepEqual(successes('listProjectWikiPages'), [['200', ['application/json'], []]]);
  assert.deepEqual(successes('downloadArtifacts'), [['200', ['application/octet-stream'], []]]);
});

test('shows the errors of the stages, of moved projects and of the throttles', () => {
  const errors = (name: string) => Object.keys(operationOf(name).responses).filter((status) => status >= '300');
  assert.deepEqual(errors('deleteProject'), ['400', '401', '403', '404', '405', '412', '429']);
  assert.deepEqual(errors('listTree'), ['301', '400', '401', '403', '404', '429']);
  assert.ok(errors('createProject').includes('415'));
  assert.ok(!errors('createFile').includes('415'));
  assert.equal(operationOf('starProject').responses[304].content, undefined);
  assert.ok(operationOf('updateJob').responses[429].content['application/json'].examples.tooMany);
  assert.ok(operationOf('updateJob').responses[429].content['text/plain']);
});

test('a HEAD operation has no response bodies', () => {
  const heads = operations.filter(({ method }) => method === 'head');
  assert.ok(heads.length > 0);
  for (const { responses } of heads)
    for (const response of Object.values(responses as Record<string, Document>))
      assert.equal(response.content, undefined);
});

test('throws for two schemas with one name', async () => {
  const other = objectSchema('Thing', { id: Type.String() });
  const twice = createRegistry({
    things: resourceModule({
      endpoints: {
        readThing: endpoint({
          get: '/a',
          summary: 'Read',
          access: open(),
          response: ok(rawEntity(Thing)),
          handle: () => thing,
        }),
        readOther: endpoint({
          get: '/b',
          summary: 'Read',
          access: open(),
          response: ok(rawEntity(other)),
          handle: () => ({ id: '' }),
        }),
      },
    }),
  });
  await assert.rejects(documentOf(twice), { message: 'Two different shapes have the name Thing' });
});
