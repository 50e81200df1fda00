import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Insertable } from 'kysely';
import type { Runner } from '#authorization/runners.ts';
import type { Schema, Transaction } from '#database/database.ts';
import { jobRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { listCandidates } from './choose-job.ts';

// What runners are offered is what the rules say, of random runners, jobs, projects and groups (contract/runners.md §7).

const here = await world();
const { database } = here.server.services;
const outer = await here.newGroup();
const inner = await here.newGroup({ in: outer });
const apart = await here.newGroup();
/** Each group's own and those above it. */
const LINEAGE = { outer: [outer.id], inner: [inner.id, outer.id], apart: [apart.id] };
const places = { outer, inner, apart };
type Name = keyof typeof places;
const names: Name[] = ['outer', 'inner', 'apart'];
const projects = new Map<Name, number>();
for (const name of names)
  projects.set(name, (await here.newProject({ in: places[name], owner: places[name].owner })).id);
const jobModel = await modelOf('jobs', await jobRow(here, { id: projects.get('outer')! }));
const runnerModel = await modelOf('runners', (await runnerRow(here)).id);

const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'A'), { maxLength: 3 });
const drawn = fc.record({
  forbidden: fc.record({ outer: fc.boolean(), inner: fc.boolean(), apart: fc.boolean() }),
  projects: fc.array(
    fc.record({ group: fc.boolean(), shared: fc.boolean(), enabled: fc.boolean(), marked: fc.boolean() }),
    { minLength: 3, maxLength: 3 },
  ),
  jobs: fc.array(
    fc.record({
      place: fc.nat(2),
      tags,
      protected: fc.boolean(),
      status: fc.constantFrom('pending', 'pending', 'pending', 'created', 'running', 'manual'),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  runners: fc.array(
    fc.record({
      type: fc.constantFrom('instance_type', 'group_type', 'project_type'),
      place: fc.nat(2),
      others: fc.boolean(),
      tags,
      run_untagged: fc.boolean(),
      locked: fc.boolean(),
      access_level: fc.constantFrom('not_protected', 'ref_protected'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;
type DrawnRunner = Drawn['runners'][number];
type DrawnJob = Drawn['jobs'][number];

/** The rules, told once more and without SQL. */
function mayTake({ forbidden, projects }: Drawn, runner: DrawnRunner, job: DrawnJob): boolean {
  const [at, name] = [projects[job.place]!, names[job.place]!];
  if (job.status !== 'pending' || !at.enabled || at.marked) return false;
  if (runner.access_level === 'ref_protected' && !job.protected) return false;
  if (job.tags.length === 0 ? !runner.run_untagged : job.tags.some((tag) => !runner.tags.includes(tag))) return false;
  if (runner.type === 'project_type') return runner.place === job.place || runner.others;
  if (runner.type === 'group_type') return at.group && LINEAGE[name].includes(places[names[runner.place]!].id);
  return at.shared && !names.some((above) => forbidden[above] && LINEAGE[name].includes(places[above].id));
}

test('a runner is offered the jobs that it may take, all of them in their order, and no others', async () => {
  const property = fc.asyncProperty(drawn, async (all) => {
    await forgotten(async (tx) => {
      const jobs = await make(tx, all);
      for (const runner of all.runners) {
        const offered = (await listCandidates(tx, await makeRunner(tx, runner))).map(({ id }) => id);
        const allowed = jobs.filter((_, at) => mayTake(all, runner, all.jobs[at]!));
        if (runner.type === 'instance_type') offered.sort((a, b) => a - b);
        assert.deepEqual(offered, allowed, JSON.stringify(runner));
      }
    });
  });
  await fc.assert(property, { numRuns: 100 });
});

/** The ids of the jobs. */
async function make(tx: Transaction, { forbidden, projects: drawnProjects, jobs }: Drawn): Promise<number[]> {
  for (const [at, name] of names.entries()) {
    const { group, shared, enabled, marked } = drawnProjects[at]!;
    const switches = {
      ...(group ? {} : { group_runners_enabled: false }),
      ...(shared ? {} : { shared_runners_enabled: false }),
    };
    const values = {
      attributes: JSON.stringify(switches),
      builds_access_level: enabled ? 'enabled' : 'disabled',
      marked_for_deletion_on: marked ? tx.today : null,
    } as const;
    await tx.updateTable('projects').set(values).where('id', '=', projects.get(name)!).execute();
    const setting = forbidden[name] ? { shared_runners_setting: 'disabled_and_unoverridable' } : {};
    await tx
      .updateTable('namespaces')
      .set({ attributes: JSON.stringify(setting) })
      .where('id', '=', places[name].id)
      .execute();
  }
  await tx.deleteFrom('jobs').execute();
  const ids: number[] = [];
  for (const [at, { place, tags, ...job }] of jobs.entries()) {
    const values = { ...jobModel, ...job, name: `job ${at}`, project_id: projects.get(names[place]!)! };
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

let made = 0;
async function makeRunner(tx: Transaction, { type, place, others, tags, ...runner }: DrawnRunner): Promise<Runner> {
  const group_id = type === 'group_type' ? places[names[place]!].id : null;
  const values = { ...runnerModel, ...runner, runner_type: type, group_id, token_digest: `drawn ${made++}` };
  const row = await tx
    .insertInto('runners')
    .values(values as Insertable<Schema['runners']>)
    .returningAll()
    .executeTakeFirstOrThrow();
  for (const [position, name] of tags.entries())
    await tx.insertInto('runner_tags').values({ runner_id: row.id, name, position }).execute();
  const own = type === 'project_type' ? names.filter((_, at) => at === place || others) : [];
  for (const name of own)
    await tx
      .insertInto('runner_projects')
      .values({ runner_id: row.id, project_id: projects.get(name)! })
      .execute();
  return row as unknown as Runner;
}

async function modelOf(table: 'jobs' | 'runners', id: number): Promise<object> {
  const { id: _, ...values } = await database.reader
    .selectFrom(table)
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return values;
}

/** Does this in a transaction that leaves nothing behind. */
async function forgotten(work: (tx: Transaction) => Promise<void>): Promise<void> {
  const over = new Error('over');
  const ended = database.transaction(async (tx) => {
    await work(tx);
    throw over;
  });
  await ended.catch((error: unknown) => {
    if (error !== over) throw error;
  });
}
