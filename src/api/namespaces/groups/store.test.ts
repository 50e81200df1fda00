import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { type GroupFilter, type GroupOrder, type GroupScope, orderGroups, selectVisibleGroups } from './store.ts';

const person = (admin: boolean): Caller => ({
  ...ANONYMOUS,
  user: { id: 7, username: 'x', name: 'x', email: 'x', state: 'active', admin, bot: false, external: false },
});

interface List {
  readonly caller: Caller;
  readonly filter?: GroupFilter;
  readonly scope?: GroupScope;
  readonly order?: GroupOrder;
}

const page = (db: Reader, { caller, filter = {}, scope = 'everywhere', order = 'name' }: List) =>
  orderGroups(
    selectVisibleGroups(db, caller, filter, { scope, scansGroups: false }),
    order,
    'asc',
    filter.search,
  ).limit(21);

// The indexes of lists: a plan that uses one of them does not scan the whole table.
const plans: [what: string, list: List, indexes: RegExp[]][] = [
  ['all groups by name', { caller: person(true) }, [/\bgroups_by_name\b/, /\broutes_by_namespace\b/]],
  ['all groups by path', { caller: person(true), order: 'path' }, [/\bgroups_by_path\b/]],
  ['public groups', { caller: ANONYMOUS }, [/\bgroups_by_visibility\b/]],
  ["a user's groups", { caller: person(false) }, [/\bmemberships_by_user\b/, /\bnamespace_closure_/]],
  ['subgroups', { caller: person(true), scope: { childrenOf: 7 } }, [/\b(groups|namespaces)_by_parent\b/]],
  ['everything below', { caller: person(true), scope: { descendantsOf: 7 } }, [/\bnamespace_closure_by_ancestor\b/]],
  ['archived groups', { caller: person(true), filter: { archived: true } }, [/\bnamespaces_inactive\b/]],
  ['active groups', { caller: person(true), filter: { active: true } }, [/\bnamespaces_inactive\b/]],
  ['groups that are not active', { caller: person(true), filter: { active: false } }, [/\bnamespaces_inactive\b/]],
  ['by storage', { caller: person(true), filter: { repository_storage: 'x' } }, [/\bgroups_by_storage\b/]],
];

for (const [what, list, indexes] of plans) {
  test(`uses an index for ${what}`, async () => {
    await using database = await testDatabase();
    const plan = (await database.transaction((tx) => explainPlan(tx, page(tx, list)))).join('\n');
    for (const index of indexes) assert.match(plan, index);
    assert.doesNotMatch(plan, /Seq Scan on namespaces|SCAN namespaces(?! USING INDEX)/);
  });
}
