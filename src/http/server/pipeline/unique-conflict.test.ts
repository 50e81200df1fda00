import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, Message } from '#http/endpoint/responses.ts';
import { startMinimalServer } from '#test/support/minimal-server.ts';

const addChild = endpoint({
  post: '/parents/:id/children',
  summary: 'Adds a child to a parent who was there when the request began',
  access: open(),
  response: created(rawEntity(Message)),
  async handle({ params }, { database }) {
    await database.transaction((tx) => sql`insert into children values (${Number(params.id)})`.execute(tx));
    return { message: 'added' };
  },
});

const makeTables = endpoint({
  post: '/tables',
  summary: 'Makes both tables, and one parent',
  access: open(),
  response: created(rawEntity(Message)),
  async handle(_call, { database }) {
    await database.transaction(async (tx) => {
      await sql`create table parents (id integer primary key)`.execute(tx);
      await sql`create table children (parent_id integer not null references parents (id))`.execute(tx);
      await sql`insert into parents values (1)`.execute(tx);
    });
    return { message: 'made' };
  },
});

test('returns 409 when the parent of a new row is deleted concurrently', async () => {
  const { anonymous, logged } = await startMinimalServer({ addChild, makeTables });
  assert.equal((await anonymous.post('/tables')).status, 201);
  assert.equal((await anonymous.post('/parents/1/children')).status, 201);
  const { status, body } = await anonymous.post('/parents/2/children');
  assert.deepEqual([status, body], [409, { message: '409 Conflict' }]);
  assert.doesNotMatch(logged(), /"level":"error"/);
  assert.match(logged(), /"level":"warn".*"endpoint":"addChild".*(FOREIGN KEY|violates foreign key)/i);
});
