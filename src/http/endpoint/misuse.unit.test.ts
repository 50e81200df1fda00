import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../access/access.ts';
import { optional } from '../parameters/declarations.ts';
import type { ParameterType } from '../parameters/parameter-type.ts';
import { createRegistry } from '../server/routing/registry.ts';
import { type EndpointDefinition, endpoint } from './endpoint.ts';
import { rawEntity } from './entity.ts';
import { family } from './resource-module.ts';
import { Message, noContent, ok, page, text } from './responses.ts';

// Every known wrong declaration, with what its author will read when the server is put together.

const plain = { summary: 'Do it', access: open(), response: text, handle: () => 'x' } as const;
const EVENT = 'member_created';

const good = endpoint({ get: '/things/:id', ...plain });

const register = (endpoints: Record<string, EndpointDefinition>) => () =>
  createRegistry({ things: family({ endpoints }) });

function refuses(endpoints: Record<string, EndpointDefinition>, message: string) {
  assert.throws(register(endpoints), { message });
}

test('a good declaration is taken', () => {
  assert.doesNotThrow(register({ readThing: good }));
});

test('two endpoints of one name', () => {
  assert.throws(
    () =>
      createRegistry({
        things: family({ endpoints: { readThing: good } }),
        others: family({ endpoints: { readThing: endpoint({ get: '/others', ...plain }) } }),
      }),
    {
      message: 'others/endpoints.ts: readThing is also the name of an endpoint in things/endpoints.ts',
    },
  );
});

test('two endpoints of one route, whatever its parameters are called', () => {
  for (const path of ['/things/:id', '/things/:thing_id'] as const) {
    refuses(
      { readThing: good, showThing: endpoint({ get: path, ...plain }) },
      'things/endpoints.ts: showThing cannot be routed: its route is that of readThing in things/endpoints.ts',
    );
  }
  const tail = endpoint({ get: '/*place/info', ...plain, root: true });
  refuses(
    { readPlace: tail, showPlace: tail },
    'things/endpoints.ts: showPlace cannot be routed: its route is that of readPlace in things/endpoints.ts',
  );
});

test('a fixed segment is found before a parameter, in whatever order they are declared', () => {
  const fixed = endpoint({ get: '/things/latest', ...plain });
  for (const endpoints of [
    { readThing: good, readLatest: fixed },
    { readLatest: fixed, readThing: good },
  ]) {
    const registry = createRegistry({ things: family({ endpoints }) });
    assert.equal(registry.find('GET', '/api/v4/things/latest')?.endpoint.name, 'readLatest');
    assert.equal(registry.find('GET', '/api/v4/things/7')?.endpoint.name, 'readThing');
  }
});

test('an endpoint that another one hides', () => {
  const digits = endpoint({ get: '/things/:id(^\\d+$)', ...plain });
  const seven = endpoint({ get: '/things/:id(^7$)', ...plain });
  assert.doesNotThrow(register({ readThing: good, readNumbered: digits }));
  refuses(
    { readNumbered: digits, readSeven: seven },
    'things/endpoints.ts: readSeven cannot be routed: its route is that of readNumbered in things/endpoints.ts',
  );
});

test('a path of another form', () => {
  refuses(
    { readThing: endpoint({ get: 'things', ...plain }) },
    'things/endpoints.ts: readThing has a path that does not begin with /: things',
  );
  refuses(
    { readThing: endpoint({ get: '/api/v4/things', ...plain }) },
    'things/endpoints.ts: readThing has a path that begins with /api/v4, which it gets by itself',
  );
  refuses(
    { readThing: endpoint({ get: '/things/:id/x/:id', ...plain }) },
    'things/endpoints.ts: readThing has two parameters id in its path',
  );
});

test('a summary that is none', () => {
  for (const summary of ['', 'Do it.']) {
    refuses(
      { readThing: endpoint({ get: '/things', ...plain, summary }) },
      'things/endpoints.ts: readThing needs a summary without a full stop',
    );
  }
});

test('an answer that the method does not have', () => {
  const items = { items: [], total: 0, more: false };
  refuses(
    {
      createThings: endpoint({ post: '/things', ...plain, response: page(rawEntity(Message)), handle: () => items }),
    },
    'things/endpoints.ts: createThings answers a page, but is not a GET',
  );
  refuses(
    { readThing: endpoint({ get: '/things', ...plain, keyset: { orders: ['id asc'], by: 'id' } }) },
    'things/endpoints.ts: readThing declares keyset, but does not answer a page',
  );
});

test('a text without a limit', () => {
  const bare: ParameterType<string> = { schema: { type: 'string' }, read: () => null };
  refuses(
    { createThing: endpoint({ post: '/things', ...plain, params: { colour: optional(bare) } }) },
    'things/endpoints.ts: createThing takes colour without a limit: parameters/texts.ts has texts of every kind',
  );
});

test('a condition on anything but a DELETE', () => {
  refuses(
    { updateThing: endpoint({ put: '/things', ...plain, lastModified: () => null }) },
    'things/endpoints.ts: updateThing is conditional, but is not a DELETE',
  );
});

test('reading that leaves a trace', () => {
  refuses(
    { readThing: endpoint({ get: '/things', ...plain, activity: [EVENT] }) },
    'things/endpoints.ts: readThing is a GET and records history',
  );
  refuses(
    { probeThing: endpoint({ head: '/things', ...plain, activity: [EVENT] }) },
    'things/endpoints.ts: probeThing is a HEAD and records history',
  );
});

test('an order that does not fit to what access finds first', () => {
  const early = { ...open(), place: async () => {} };
  const wrong = endpoint({ get: '/things', ...plain, access: early, stageOrder: 'standard' });
  const nowhere = endpoint({ get: '/things', ...plain, stageOrder: 'placeBeforeParameters' });
  assert.equal(endpoint({ get: '/things', ...plain, access: early }).stageOrder, 'placeBeforeParameters');
  const said = 'things/endpoints.ts: readThing has the order';
  refuses({ readThing: wrong }, `${said} standard, but its access finds a place first`);
  refuses({ readThing: nowhere }, `${said} placeBeforeParameters, but its access finds no place first`);
});

test('an order that would leave the body unread', () => {
  refuses(
    { createThing: endpoint({ post: '/things', ...plain, stageOrder: 'projectBeforeBody' }) },
    'things/endpoints.ts: createThing has the order projectBeforeBody, which reads no body, but its body is merged',
  );
});

test('a read whose caller nobody knows', () => {
  const declared = endpoint({
    get: '/things',
    summary: 'Do it',
    access: open(),
    stageOrder: 'ownProof',
    response: ok(rawEntity(Message)),
    read: () => ({ message: 'x' }),
  });
  refuses(
    { readThing: declared },
    'things/endpoints.ts: readThing reads, and is remembered for its caller, whom its order ownProof does not know: it has to handle',
  );
});

test('a refusal that is no refusal', () => {
  const declared = endpoint({
    delete: '/things',
    ...plain,
    errors: { done: [200, 'OK'] },
    response: noContent,
    handle: () => {},
  });
  refuses({ deleteThing: declared }, 'things/endpoints.ts: deleteThing refuses done with the status 200');
});

test('no verb', () => {
  const declaration = { ...plain, answer: ok(rawEntity(Message)) } as never;
  assert.throws(() => endpoint(declaration), { message: 'an endpoint needs a verb with its path' });
});
