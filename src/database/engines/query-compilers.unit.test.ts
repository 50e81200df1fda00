import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  SqliteAdapter,
  SqliteIntrospector,
  sql,
} from 'kysely';
import type { Schema } from '../schema.ts';
import type { EngineName } from './engine.ts';
import { AD_HOC_COMPILERS, PREPARED_COMPILERS } from './query-compilers.ts';

function builder(engine: EngineName): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new DummyDriver(),
      createQueryCompiler: AD_HOC_COMPILERS[engine],
      createAdapter: () => (engine === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createIntrospector: (db) => (engine === 'sqlite' ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
    },
  });
}

const issuesWithState = (engine: EngineName, state: string) =>
  builder(engine)
    .selectFrom('issues')
    .select('id')
    .where('state', '=', state as 'opened')
    .where('confidential', '=', false);

const CASES = {
  sqlite: {
    named: `select "id" from "issues" where "state" = 'opened' and "confidential" = 0`,
    hostile: 'select "id" from "issues" where "state" = ? and "confidential" = 0',
    page: 'select "id" from "issues" limit 20 offset (0 + ?)',
  },
  postgres: {
    named: `select "id" from "issues" where "state" = 'opened' and "confidential" = false`,
    hostile: 'select "id" from "issues" where "state" = $1 and "confidential" = false',
    page: 'select "id" from "issues" limit 20 offset $1',
  },
} as const;

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`writes names that the source defines as literals, and other texts as parameters: ${engine}`, () => {
    assert.equal(issuesWithState(engine, 'opened').compile().sql, CASES[engine].named);
    for (const text of ["opened' or 1 = 1 --", 'Opened', 'constructor', '']) {
      const { sql: compiled, parameters } = issuesWithState(engine, text).compile();
      assert.deepEqual([compiled, parameters], [CASES[engine].hostile, [text]]);
    }
  });

  test(`writes a name as a parameter for a column that has other texts: ${engine}`, () => {
    const { parameters } = builder(engine).selectFrom('issues').select('id').where('title', '=', 'opened').compile();
    assert.deepEqual(parameters, ['opened']);
  });

  test(`writes the values of an INSERT as parameters: ${engine}`, () => {
    const row = { name: 'n', on_for_all: true, created_at: '', updated_at: '' };
    const { parameters } = builder(engine)
      .insertInto('feature_flags')
      .values(row as never)
      .compile();
    assert.deepEqual(parameters, ['n', true, '', '']);
  });

  test(`writes LIMIT as a literal only if it is an integer, and OFFSET as a parameter: ${engine}`, () => {
    const query = builder(engine).selectFrom('issues').select('id');
    const { sql: compiled, parameters } = query.limit(20).offset(40).compile();
    assert.deepEqual([compiled, parameters], [CASES[engine].page, [40]]);
    for (const limit of [1.5, -1, '1; drop table issues' as unknown as number])
      assert.deepEqual(query.limit(sql.val(limit)).compile().parameters, [limit]);
  });

  test(`writes the constants of a prepared query as literals: ${engine}`, () => {
    const query = builder(engine)
      .selectFrom('issues')
      .select('id')
      .where('title', 'in', ["it's", 'back\\slash', 'naïve'])
      .where('iid', '=', 7);
    const { sql: compiled, parameters } = PREPARED_COMPILERS[engine].compileQuery(query.toOperationNode(), {
      queryId: 'test',
    });
    const places = engine === 'sqlite' ? '?, ?' : '$1, $2';
    assert.equal(compiled, `select "id" from "issues" where "title" in ('it''s', ${places}) and "iid" = 7`);
    assert.deepEqual(parameters, ['back\\slash', 'naïve']);
  });
}
