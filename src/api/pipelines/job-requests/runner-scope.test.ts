import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Insertable } from 'kysely';
import type { Runner } from '#authorization/runners.ts';
import type { Schema, Transaction } from '#database/database.ts';
import { insertJobRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { listCandidates } from './claim-job.ts';

// Compares candidate jobs with the rules of contract/runners.md §7, for random runners, jobs, projects and groups.

const here = await world();
const { database } = here.server.services;
const outer = await here.newGroup();
const inner = await here.newGroup({ in: outer });
const other = await here.newGroup();
/** Ids of each group and its ancestors. */
const LINEAGE = { outer: [outer.id], inner: [inner.id, outer.id], other: [other.id] };
const groups = { outer, inner, other };
type Name = keyof typeof groups;
const names: Name[] = ['outer', 'inner', 'other'];
const projects = new Map<Name, number>();
for (const name of names)
  projects.set(name, (await here.newProject({ in: groups[name], owner: groups[name].owner })).id);
const jobTemplate = await loadTemplate('jobs', await insertJobRow(here, { id: projects.get('outer')! }));
const runnerTemplate = await loadTemplate('runners', (await runnerRow(here)).id);

const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'A'), { maxLength: 3 });
const scenario = fc.record({
  forbidden: fc.record({ outer: fc.boolean(), inner: fc.boolean(), other: fc.boolean() }),
  projects: fc.array(
    fc.record({ group: fc.boolean(), shared: fc.boolean(), enabled: fc.boolean(), marked: fc.boolean() }),
    { minLength: 3, maxLength: 3 },
  ),
  jobs: fc.array(
    fc.record({
      groupIndex: fc.nat(2),
      tags,
      protected: fc.boolean(),
      status: fc.constantFrom('pending', 'pending', 'pending', 'created', 'running', 'manual'),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  runners: fc.array(
    fc.record({
      type: fc.constantFrom('instance_type', 'group_type', 'project_type'),
      groupIndex: fc.nat(2),
      allProjects: fc.boolean(),
      tags,
      run_untagged: fc.boolean(),
      locked: fc.boolean(),
      access_level: fc.constantFrom('not_protected', 'ref_protected'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;
type ScenarioRunner = Scenario['runners'][number];
type ScenarioJob = Scenario['jobs'][number];

/** Implements the rules once more, without SQL. */
function mayTake({ forbidden, projects }: Scenario, runner: ScenarioRunner, job: ScenarioJob): boolean {
  const [project, name] = [projects[job.groupIndex]!, names[job.groupIndex]!];
  if (job.status !== 'pending' || !project.enabled || project.marked) return false;
  if (runner.access_level === 'ref_protected' && !job.protected) return false;
  if (job.tags.length === 0 ? !runner.run_untagged : job.tags.some((tag) => !runner.tags.includes(tag))) return false;
  if (runner.type === 'project_type') return runner.groupIndex === job.groupIndex || runner.allProjects;
  if (runner.type === 'group_type')
    return project.group && LINEAGE[name].includes(groups[names[runner.groupIndex]!].id);
  return (
    project.shared && !names.some((ancestor) => forbidden[ancestor] && LINEAGE[name].includes(groups[ancestor].id))
  );
}

test('lists exactly the jobs that a runner may take, in order', async () => {
  const property = fc.asyncProperty(scenario, async (values) => {
    await rollBackAfter(async (tx) => {
      const jobs = await applyScenario(tx, values);
      for (const runner of values.runners) {
        const offered = (await listCandidates(tx, await insertRunner(tx, runner))).map(({ id }) => id);
        const allowed = jobs.filter((_, at) => mayTake(values, runner, values.jobs[at]!));
        if (runner.type === 'instance_type') offered.sort((a, b) => a - b);
        assert.deepEqual(offered, allowed, JSON.stringify(runner));
      }
    });
  });
  await fc.assert(property, { numRuns: 100 });
});

/** Applies the settings of the scenario and inserts its jobs. Returns the ids of the jobs. */
async function applyScenario(
  tx: Transaction,
  { forbidden, projects: projectSettings, jobs }: Scenario,
): Promise<number[]> {
  for (const [at, name] of names.entries()) {
    const { group, shared, enabled, marked } = projectSettings[at]!;
    const attributes = {
      ...(group ? {} : { group_runners_enabled: false }),
      ...(shared ? {} : { shared_runners_enabled: false }),
    };
    const values = {
      attributes: JSON.stringify(attributes),
      builds_access_level: enabled ? 'enabled' : 'disabled',
      marked_for_deletion_on: marked ? tx.today : null,
    } as const;
    await tx.updateTable('projects').set(values).where('id', '=', projects.get(name)!).execute();
    const setting = forbidden[name] ? { shared_runners_setting: 'disabled_and_unoverridable' } : {};
    await tx
      .updateTable('namespaces')
      .set({ attributes: JSON.stringify(setting) })
      .where('id', '=', groups[name].id)
      .execute();
  }
  await tx.deleteFrom('jobs').execute();
  const ids: number[] = [];
  for (const [at, { groupIndex, tags, ...job }] of jobs.entries()) {
    const values = { ...jobTemplate, ...job, name: `job ${at}`, project_id: projects.get(names[groupIndex]!)! };
    const { id } = await tx
      .insertInto('jobs')
      .values(values as Insertable<Schema['jobs']>)
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [position, name] of tags.entries())
      await tx.insertInto('job_tags').values({ job_id: id, name, position }).execute();
    ids.push(id);
  }
  return ids;
}

let runnerCount = 0;
async function insertRunner(
  tx: Transaction,
  { type, groupIndex, allProjects, tags, ...runner }: ScenarioRunner,
): Promise<Runner> {
  const group_id = type === 'group_type' ? groups[names[groupIndex]!].id : null;
  const values = {
    ...runnerTemplate,
    ...runner,
    runner_type: type,
    group_id,
    token_digest: `scenario ${runnerCount++}`,
  };
  const row = await tx
    .insertInto('runners')
    .values(values as Insertable<Schema['runners']>)
    .returningAll()
    .executeTakeFirstOrThrow();
  for (const [position, name] of tags.entries())
    await tx.insertInto('runner_tags').values({ runner_id: row.id, name, position }).execute();
  const projectNames = type === 'project_type' ? names.filter((_, at) => at === groupIndex || allProjects) : [];
  for (const name of projectNames)
    await tx
      .insertInto('runner_projects')
      .values({ runner_id: row.id, project_id: projects.get(name)! })
      .execute();
  return row as unknown as Runner;
}

/** Returns the columns of a row except its id. */
async function loadTemplate(table: 'jobs' | 'runners', id: number): Promise<object> {
  const { id: _, ...values } = await database.reader
    .selectFrom(table)
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return values;
}

/** Runs `work` in a transaction and rolls it back. */
async function rollBackAfter(work: (tx: Transaction) => Promise<void>): Promise<void> {
  const rollback = new Error('rollback');
  const transaction = database.transaction(async (tx) => {
    await work(tx);
    throw rollback;
  });
  await transaction.catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
}
