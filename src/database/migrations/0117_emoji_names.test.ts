import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import { migrate } from '../migrate.ts';
import { migrations } from './index.ts';

const NOW = '2026-01-02T03:04:05.678Z';

test('renames awarded emoji, also where an old name now means another emoji, and merges equal awards', async () => {
  await using database = await testDatabase({ empty: true });
  await migrate(
    database,
    migrations.filter(({ name }) => name < '0117'),
  );
  const names = [
    'thumbsup',
    'slightly_smiling_face',
    'es',
    'city_sunrise',
    'city_sunset',
    'cricket_game',
    'cricket',
    'person_in_tuxedo',
  ];
  const times = { created_at: NOW, updated_at: NOW };
  await database.transaction(async (tx) => {
    const user = { username: 'mira', username_key: 'mira', name: 'Mira', name_key: 'mira', projects_limit: 0 };
    const { id: user_id } = await tx
      .insertInto('users')
      .values({ ...user, email: 'mira@x.test', email_key: 'mira@x.test', ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const name of names)
      await tx
        .insertInto('award_emoji')
        .values({ user_id, name, ...times })
        .execute();
  });
  await migrate(database);
  const rows = await sql<{ name: string }>`select name from award_emoji order by id`.execute(database.reader);
  assert.deepEqual(
    rows.rows.map(({ name }) => name),
    ['thumbsup', 'slight_smile', 'flag_es', 'city_sunset', 'city_dusk', 'cricket', 'man_in_tuxedo'],
  );
});
