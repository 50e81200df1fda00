import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../access/access.ts';
import { optional } from '../parameters/declarations.ts';
import type { ParameterType } from '../parameters/parameter-type.ts';
import { createRegistry } from '../server/routing/registry.ts';
import { type EndpointDefinition, endpoint } from './endpoint.ts';
import { rawEntity } from './entity.ts';
import { resourceModule } from './resource-module.ts';
import { Message, noContent, ok, page, text } from './responses.ts';

// Every known invalid declaration, with its error message at start-up.

const plain = { summary: 'Do it', access: open(), response: text, handle: () => 'x' } as const;
const EVENT = 'member_created';

const good = endpoint({ get: '/things/:id', ...plain });

const register = (endpoints: Record<string, EndpointDefinition>) => () =>
  createRegistry({ things: resourceModule({ endpoints }) });

function refuses(endpoints: Record<string, EndpointDefinition>, message: string) {
  assert.throws(register(endpoints), { message });
}

test('accepts a valid declaration', () => {
  assert.doesNotThrow(register({ readThing: good }));
});

test('rejects unknown keys in an endpoint or a resource', () => {
  const misspelled = { ...plain, authorise: () => false };
  assert.throws(() => endpoint({ get: '/things', ...misspelled }), { message: 'An endpoint has no key authorise' });
  const thing = { name: 'thing', load: () => null, notFound: () => new Error('no thing'), allow: () => false } as const;
  assert.throws(() => open().resource(thing), { message: 'A resource has no key allow' });
});

test('rejects two endpoints with one name', () => {
  assert.throws(
    () =>
      createRegistry({
        things: resourceModule({ endpoints: { readThing: good } }),
        others: resourceModule({ endpoints: { readThing: endpoint({ get: '/others', ...plain }) } }),
      }),
    {
      message: 'things/endpoints.ts: readThing is also the name of an endpoint in others/endpoints.ts',
    },
  );
});

test('rejects two endpoints with one route, regardless of parameter names', () => {
  for (const path of ['/things/:id', '/things/:thing_id'] as const) {
    refuses(
      { readThing: good, showThing: endpoint({ get: path, ...plain }) },
      'things/endpoints.ts: showThing cannot be routed: its route is that of readThing in things/endpoints.ts',
    );
  }
  const tail = endpoint({ get: '/*place/info', ...plain, outsideApi: true });
  refuses(
    { readPlace: tail, showPlace: tail },
    'things/endpoints.ts: showPlace cannot be routed: its route is that of readPlace in things/endpoints.ts',
  );
});

test('prefers a fixed segment to a parameter, in any order of declaration', () => {
  const fixed = endpoint({ get: '/things/latest', ...plain });
  for (const endpoints of [
    { readThing: good, readLatest: fixed },
    { readLatest: fixed, readThing: good },
  ]) {
    const registry = createRegistry({ things: resourceModule({ endpoints }) });
    assert.equal(registry.find('GET', '/api/v4/things/latest')?.endpoint.name, 'readLatest');
    assert.equal(registry.find('GET', '/api/v4/things/7')?.endpoint.name, 'readThing');
  }
});

test('rejects an endpoint that another one hides', () => {
  const digits = endpoint({ get: '/things/:id(^\\d+$)', ...plain });
  const seven = endpoint({ get: '/things/:id(^7$)', ...plain });
  assert.doesNotThrow(register({ readThing: good, readNumbered: digits }));
  refuses(
    { readNumbered: digits, readSeven: seven },
    'things/endpoints.ts: readNumbered cannot be routed: its route is that of readSeven in things/endpoints.ts',
  );
});

test('rejects malformed paths', () => {
  refuses(
    { readThing: endpoint({ get: 'things', ...plain }) },
    'things/endpoints.ts: readThing has a path that does not begin with /: things',
  );
  refuses(
    { readThing: endpoint({ get: '/api/v4/things', ...plain }) },
    'things/endpoints.ts: readThing has a path that begins with /api/v4, which is added automatically',
  );
  refuses(
    { readThing: endpoint({ get: '/things/:id/x/:id', ...plain }) },
    'things/endpoints.ts: readThing has two parameters id in its path',
  );
});

test('rejects empty summaries and full stops', () => {
  for (const summary of ['', 'Do it.']) {
    refuses(
      { readThing: endpoint({ get: '/things', ...plain, summary }) },
      'things/endpoints.ts: readThing needs a summary without a full stop',
    );
  }
});

test('rejects responses that do not fit the method', () => {
  const items = { items: [], total: 0, hasMore: false };
  refuses(
    {
      createThings: endpoint({ post: '/things', ...plain, response: page(rawEntity(Message)), handle: () => items }),
    },
    'things/endpoints.ts: createThings responds with a page, but is not a GET',
  );
  refuses(
    { readThing: endpoint({ get: '/things', ...plain, keyset: { orders: ['id asc'], cursorKind: 'id' } }) },
    'things/endpoints.ts: readThing declares keyset, but does not respond with a page',
  );
});

test('rejects a text without a length limit', () => {
  const bare: ParameterType<string> = { schema: { type: 'string' }, read: () => null };
  refuses(
    { createThing: endpoint({ post: '/things', ...plain, params: { colour: optional(bare) } }) },
    'things/endpoints.ts: createThing takes colour without a length limit: use a type of parameters/texts.ts',
  );
});

test('rejects lastModified on methods other than DELETE', () => {
  refuses(
    { updateThing: endpoint({ put: '/things', ...plain, lastModified: () => null }) },
    'things/endpoints.ts: updateThing declares lastModified, but is not a DELETE',
  );
});

test('rejects activity on GET and HEAD', () => {
  refuses(
    { readThing: endpoint({ get: '/things', ...plain, activity: [EVENT] }) },
    'things/endpoints.ts: readThing is a GET, but declares activity',
  );
  refuses(
    { probeThing: endpoint({ head: '/things', ...plain, activity: [EVENT] }) },
    'things/endpoints.ts: probeThing is a HEAD, but declares activity',
  );
});

test('rejects a stage order that does not fit loadParent', () => {
  const early = { ...open(), loadParent: async () => {} };
  const wrong = endpoint({ get: '/things', ...plain, access: early, stageOrder: 'standard' });
  const nowhere = endpoint({ get: '/things', ...plain, stageOrder: 'parentBeforeParameters' });
  assert.equal(endpoint({ get: '/things', ...plain, access: early }).stageOrder, 'parentBeforeParameters');
  const said = 'things/endpoints.ts: readThing has the stage order';
  refuses({ readThing: wrong }, `${said} standard, but its access declares a loadParent`);
  refuses({ readThing: nowhere }, `${said} parentBeforeParameters, but its access declares no loadParent`);
});

test('rejects a stage order that would not read the body', () => {
  refuses(
    { createThing: endpoint({ post: '/things', ...plain, stageOrder: 'projectBeforeBody' }) },
    'things/endpoints.ts: createThing has the stage order projectBeforeBody, which reads no body, but its body is merged',
  );
});

test('rejects read in a stage order without credentials', () => {
  const declared = endpoint({
    get: '/things',
    summary: 'Do it',
    access: open(),
    stageOrder: 'clientToken',
    response: ok(rawEntity(Message)),
    read: () => ({ message: 'x' }),
  });
  refuses(
    { readThing: declared },
    'things/endpoints.ts: readThing declares read, whose response is cached per caller, but its stage order clientToken authenticates nobody: declare handle',
  );
});

test('rejects an error with a success status', () => {
  const declared = endpoint({
    delete: '/things',
    ...plain,
    errors: { done: [200, 'OK'] },
    response: noContent,
    handle: () => {},
  });
  refuses(
    { deleteThing: declared },
    'things/endpoints.ts: deleteThing declares the error done with the status 200, which is not between 300 and 599',
  );
});

test('rejects a declaration without a method', () => {
  const declaration = { ...plain, response: ok(rawEntity(Message)) } as never;
  assert.throws(() => endpoint(declaration), {
    message: 'An endpoint must declare get, head, post, put, patch or delete with its path',
  });
});
