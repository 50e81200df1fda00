import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { orderProjects, type ProjectFilter, type ProjectOrder, selectProjectIds } from './store.ts';

const user = {
  id: 7,
  username: 'mira',
  name: 'Mira',
  email: 'm@hearth.test',
  state: 'active',
  bot: false,
  external: false,
} as const;
const member: Caller = { ...ANONYMOUS, user: { ...user, admin: false } };
const administrator: Caller = { ...ANONYMOUS, user: { ...user, admin: true } };

const served: readonly [index: string, caller: Caller, filter: ProjectFilter, order: ProjectOrder][] = [
  ['projects_by_created_at', ANONYMOUS, {}, 'created_at'],
  ['projects_by_created_at', member, {}, 'created_at'],
  ['projects_by_updated_at', member, {}, 'updated_at'],
  ['projects_by_last_activity', member, {}, 'last_activity_at'],
  ['projects_by_name', member, {}, 'name'],
  ['projects_by_path', member, {}, 'path'],
  ['projects_by_star_count', member, {}, 'star_count'],
  ['repositories_by_size', administrator, {}, 'repository_size'],
  ['repositories_by_wiki_size', administrator, {}, 'wiki_size'],
  ['repositories_by_storage_size', administrator, {}, 'storage_size'],
  ['projects_pkey|SCAN projects', administrator, {}, 'packages_size'],
  ['stars_pkey|sqlite_autoindex_stars_1', member, { starred: true }, 'created_at'],
  ['projects_pkey|SCAN projects', member, {}, 'id'],
  ['projects_by_namespace', member, { namespace: { id: 3, includeDescendants: false } }, 'created_at'],
  ['namespace_closure_by_ancestor', member, { namespace: { id: 3, includeDescendants: true } }, 'created_at'],
  [
    'projects_by_created_at',
    member,
    { namespace: { id: 3, includeDescendants: true }, scanInOrder: true },
    'created_at',
  ],
  ['namespaces_by_owner', member, { ownerId: 7 }, 'created_at'],
  ['memberships_by_user', member, { membership: true }, 'created_at'],
  ['project_topics_by_topic', member, { topicId: 3 }, 'created_at'],
  ['topics_by_name', member, { topics: ['api'] }, 'created_at'],
  ['custom_attributes_by_value', administrator, { customAttributes: [{ key: 'city', value: 'Bern' }] }, 'created_at'],
  ['repositories_by_storage', administrator, { storage: 'default' }, 'id'],
  ['job_artifacts_security', member, { withSecurityReports: true }, 'created_at'],
  ['geo_checksums_failed', administrator, { repositoryChecksumFailed: true }, 'created_at'],
  ['geo_checksums_failed', administrator, { wikiChecksumFailed: true }, 'created_at'],
  [
    'namespace_closure_pkey|sqlite_autoindex_namespace_closure_1',
    member,
    { namespace: { id: 3, includeAncestors: true } },
    'created_at',
  ],
  ['projects_archived', member, { archived: true }, 'created_at'],
  ['namespaces_inactive', member, { archived: true }, 'created_at'],
  ['projects_by_created_at', member, { archived: false }, 'created_at'],
  ['namespaces_inactive', member, { archived: false }, 'created_at'],
  ['namespaces_inactive', member, { active: true }, 'created_at'],
  ['projects_archived', member, { active: false }, 'created_at'],
  ['projects_name_key_trigrams', member, { search: 'xyz' }, 'id'],
  ['routes_full_path_key_trigrams', member, { search: 'xyz', searchNamespaces: true }, 'id'],
  ['routes_full_path_key_trigrams', member, { search: 'xyz' }, 'id'],
];

for (const [index, caller, filter, order] of served) {
  const who = caller.user === null ? 'nobody' : caller.user.admin ? 'an administrator' : 'a member';
  test(`uses ${index} for ${who} by ${order} with ${JSON.stringify(filter)}`, async () => {
    await using database = await testDatabase();
    const plan = await database.transaction((tx) =>
      explainPlan(tx, orderProjects(selectProjectIds(tx, caller, filter), order, 'desc').limit(21)),
    );
    assert.match(plan.join('\n'), new RegExp(`\\b(${index})\\b`));
  });
}

test('handles a huge search like any other', async () => {
  await using database = await testDatabase();
  for (const search of ['x'.repeat(60_000), 'xyz"'.repeat(2_000), 'x '.repeat(3_000), words(3_000), '%_\\']) {
    for (const order of ['similarity', 'created_at'] as const) {
      const filter = { search, searchNamespaces: order === 'created_at', topics: search.split(' ') };
      const query = selectProjectIds(database.reader, member, filter);
      assert.deepEqual(await orderProjects(query, order, 'desc', search).execute(), []);
    }
  }
});

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
