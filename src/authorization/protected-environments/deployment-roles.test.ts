import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { createMembership, findMembership } from '#domain/members/memberships.ts';
import { ROLES } from '#domain/members/roles.ts';
import { findGroup, getGroupRole } from '#domain/namespaces/groups.ts';
import { createNamespace } from '#domain/namespaces/namespaces.ts';
import { findProject, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { createRandomProject, insertTestCallers } from '../random-namespaces.testing.ts';
import { findAdmittingApprovalRules, mayDeployTo, mayDeployToEach } from './deployment-rules.ts';
import { createProtection } from './fixtures.testing.ts';
import {
  type EnvironmentProtection,
  loadProtections,
  loadProtectionsForAll,
  type Principal,
} from './protected-environments.ts';

// The gate knows roles by statements of its own, many at once: they must be those that groups and projects are asked for one by one.

const TODAY = '2026-01-02';
const database = await testDatabase({ clock: testClock(`${TODAY}T03:04:05.000Z`) });
after(() => database.close());
const { reader } = database;

const { users, callers } = await insertTestCallers(database);
const PLACES = ['project', 'group', 'inner'] as const;
const OWNERS = ['project', 'group'] as const;

/** Where the first user is a member, and until when. */
const membership = fc.record({
  role: fc.option(fc.constantFrom(...ROLES), { freq: 2 }),
  expiresAt: fc.constantFrom(null, null, TODAY, '2026-01-03'),
});
const element = fc.oneof(
  fc.record({ access_level: fc.constantFrom(20, 30, 40, 60) }),
  fc.record({ user: fc.nat(1) }),
  fc.record({ group: fc.constantFrom('group', 'inner'), group_inheritance_type: fc.nat(1) }),
);
const elements = fc.array(element, { minLength: 1, maxLength: 2 });
const protection = fc.record({
  owner: fc.constantFrom(...OWNERS),
  name: fc.constantFrom('production', 'a'),
  levels: elements,
  rules: elements,
});
const drawn = fc.record({
  members: fc.tuple(membership, membership, membership),
  protections: fc.uniqueArray(protection, { maxLength: 4, selector: ({ owner, name }) => `${owner} ${name}` }),
});
type Draft = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

let groups = 0;

/** The project, in a group that has another one beside it, with what was drawn. */
function make({ members, protections }: Draft): Promise<Record<(typeof PLACES)[number], number>> {
  return database.transaction(async (tx) => {
    const place = { visibility: 'private', role: null, above: false, expiresAt: null, levels: {} } as const;
    const project = await createRandomProject(tx, users[0]!, place);
    const row = await tx.selectFrom('projects').select('namespace_id').where('id', '=', project).executeTakeFirst();
    const group = row!.namespace_id;
    const path = `inner-${++groups}`;
    const namespace = {
      kind: 'group',
      owner_id: null,
      parent_id: group,
      path,
      name: path,
      visibility: 'private',
    } as const;
    const inner = await createNamespace(tx, namespace, { full_path: `x/${path}`, full_name: path });
    const ids = { project, group, inner };
    for (const [index, { role, expiresAt }] of members.entries()) {
      const name = PLACES[index]!;
      const source = { type: name === 'project' ? 'project' : 'group', id: ids[name] } as const;
      if (role === null) continue;
      await createMembership(tx, source, { userId: users[0]!, accessLevel: role, expiresAt, createdById: null });
    }
    for (const { owner, name, levels, rules } of protections) {
      const toPrincipals = (drafts: typeof levels): Partial<Principal>[] =>
        drafts.map((draft) => {
          if ('user' in draft) return { user_id: users[draft.user]! };
          if (!('group' in draft)) return draft;
          return { group_id: ids[draft.group as 'inner'], group_inheritance_type: draft.group_inheritance_type };
        });
      const own = owner === 'project' ? { project_id: project, group_id: null } : { project_id: null, group_id: group };
      await createProtection(tx, own, name, { levels: toPrincipals(levels), rules: toPrincipals(rules) });
    }
    return ids;
  });
}

/** One element, as the contract says it. */
async function admits(db: Reader, caller: Caller, project: Project, protection: EnvironmentProtection, one: Principal) {
  const user = caller.user;
  if (user === null) return false;
  if (user.admin) return true;
  if (one.user_id !== null) return one.user_id === user.id;
  if (one.group_id !== null) {
    const group = (await findGroup(db, caller, String(one.group_id)))!;
    if (one.group_inheritance_type === 1) return getGroupRole(caller, group) > 0;
    const own = await findMembership(db, { type: 'group', id: group.id }, user.id);
    return own !== null && (own.expires_at === null || own.expires_at > TODAY);
  }
  if (one.access_level === 60) return false;
  const owner = protection.group_id && (await findGroup(db, caller, String(protection.group_id)))!;
  return (owner ? getGroupRole(caller, owner) : getProjectRole(caller, project)) >= one.access_level!;
}

async function passes(
  caller: Caller,
  project: Project,
  protections: readonly EnvironmentProtection[],
): Promise<boolean> {
  if (caller.user?.admin) return true;
  for (const protection of protections) {
    const levels = protection.deploy_access_levels.map((level) => admits(reader, caller, project, protection, level));
    if (!(await Promise.all(levels)).includes(true)) return false;
  }
  return true;
}

async function admitting(
  caller: Caller,
  project: Project,
  protections: readonly EnvironmentProtection[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const protection of protections) {
    for (const rule of protection.approval_rules) {
      if (await admits(reader, caller, project, protection, rule)) ids.push(rule.id);
    }
  }
  return ids.toSorted((a, b) => a - b);
}

const ENVIRONMENTS = ['production', 'a'].flatMap((name) => ['production', 'a'].map((tier) => ({ name, tier })));

test('deployment permissions match the roles in groups and projects, for one environment as for many', async () => {
  const property = fc.asyncProperty(drawn, async (draft) => {
    const { project: id } = await make(draft);
    for (const caller of callers) {
      const project = (await findProject(reader, caller, String(id)))!;
      const each = await loadProtectionsForAll(reader, 'premium', project, ENVIRONMENTS);
      const said = await mayDeployToEach(reader, caller, project, each);
      for (const [index, environment] of ENVIRONMENTS.entries()) {
        const protections = await loadProtections(reader, 'premium', project, environment);
        assert.deepEqual(protections, each[index]);
        const may = await passes(caller, project, protections);
        assert.equal(said[index], may);
        assert.equal(await mayDeployTo(reader, caller, project, protections), may);
        const rules = await findAdmittingApprovalRules(reader, caller, project, protections);
        assert.deepEqual(
          rules.map((rule) => rule.id),
          await admitting(caller, project, protections),
        );
      }
    }
  });
  await fc.assert(property, { seed: 20260105, numRuns: 120 });
});
