import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createDeploymentFixture, deploymentRow } from '#test/support/deployment-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { setEnvironmentState } from '../environment-model/index.ts';

// Whatever is done to an environment in whatever order: its states are those of contract/environments.md "States".

const here = await world({ project: { readme: true } });
const { clock, project, owner, server, name, runJobs } = here;
const { database } = server.services;
// From now on sweeps know when they are due.
await runJobs();

/** An environment as the contract has it be. */
interface Model {
  state: 'available' | 'stopping' | 'stopped' | 'gone';
  setting: 'always' | 'with_action';
  /** What finished last was a job's, which another job stops. */
  actions: boolean;
}

interface Subject {
  readonly id: number;
  readonly name: string;
  readonly at: string;
}

/** What is done, and the status that the model answers; null: nobody hears of it. */
type Step = (model: Model, subject: Subject) => Promise<[status: number | null, said: number | null]>;

const steps: Readonly<Record<string, Step>> = {
  async stop(model, { at }) {
    const said = model.state === 'gone' ? 404 : stops(model) ? 200 : 400;
    return [(await owner.post(`${at}/stop`)).status, said];
  },
  async force(model, { at }) {
    const said = model.state === 'gone' ? 404 : 200;
    if (said === 200) model.state = 'stopped';
    return [(await owner.post(`${at}/stop`, { force: true })).status, said];
  },
  async destroy(model, { at }) {
    const said = { gone: 404, stopped: 204, available: 403, stopping: 403 }[model.state];
    if (said === 204) model.state = 'gone';
    return [(await owner.delete(at)).status, said];
  },
  always: (model, subject) => set(model, subject, 'always'),
  onlyWithAction: (model, subject) => set(model, subject, 'with_action'),
  deployByJob: (model, subject) => deploy(model, subject, true),
  deployByApi: (model, subject) => deploy(model, subject, false),
  async fallDue(model, { id }) {
    const due = { auto_stop_at: clock.now().toISOString() };
    await database.transaction((tx) =>
      tx.updateTable('environments').set(due).where('id', '=', id).where('state', '=', 'available').execute(),
    );
    clock.advance(90);
    await runJobs();
    stops(model);
    return [null, null];
  },
};

/** Stops it as far as it does by itself; false: only a job may, and there is none. */
function stops(model: Model): boolean {
  if (model.state !== 'available') return true;
  if (!model.actions && model.setting === 'with_action') return false;
  model.state = model.actions ? 'stopping' : 'stopped';
  return true;
}

async function set(model: Model, { at }: Subject, setting: Model['setting']): ReturnType<Step> {
  model.setting = setting;
  return [(await owner.put(at, { auto_stop_setting: setting })).status, model.state === 'gone' ? 404 : 200];
}

async function deploy(model: Model, subject: Subject, byJob: boolean): ReturnType<Step> {
  if (model.state === 'gone') return [null, null];
  clock.advance(1);
  await (byJob ? createDeploymentFixture(here, project, subject) : deploymentRow(here, project, subject));
  await database.transaction((tx) => setEnvironmentState(tx, subject.id, 'available'));
  Object.assign(model, { state: 'available', actions: byJob });
  return [null, null];
}

test('follows the state table of the contract', async () => {
  const drawn = fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 1, maxLength: 8 });
  const keeps = fc.asyncProperty(drawn, async (chosen) => {
    const { body } = await expectSuccess(owner.post(`${project.at}/environments`, { name: name('environment') }));
    const subject = { id: body.id, name: body.name, at: `${project.at}/environments/${body.id}` };
    const model: Model = { state: 'available', setting: 'always', actions: false };
    for (const step of chosen) {
      const [status, said] = await steps[step]!(model, subject);
      assert.equal(status, said, step);
      const shown = await owner.get(subject.at);
      assert.equal(shown.status === 404 ? 'gone' : shown.body.state, model.state, step);
      if (model.state === 'stopped') assert.equal(shown.body.auto_stop_at, null);
    }
  });
  await fc.assert(keeps, { numRuns: 30 });
});
