import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Pages of pipelines, jobs and what they run with, rendered without a browser.

const scene = await world({
  project: { visibility: 'private', with: ['guest', 'reporter', 'developer', 'maintainer'] },
});
const { project, owner, maintainer, developer, reporter, guest, runJobs } = scene;

const PATH = `/${project.path_with_namespace}/-`;

const CI_FILE = `stages: [build, test, ship]
compile: { stage: build, script: [make] }
unit: { stage: test, needs: [compile], script: [make test] }
ship: { stage: ship, script: [make ship], when: manual }
`;

await commitCiFile('main', CI_FILE, {});
await expectSuccess(owner.post(`${project.at}/repository/branches`, { branch: 'work', ref: 'main' }));
await commitCiFile('broken', 'compile: { stage: nowhere, script: [make] }', { start_branch: 'main' });
await commitCiFile('by-hand', 'ship: { script: [make ship], when: manual }', { start_branch: 'main' });
await commitCiFile('wide', 'unit: { script: [make], parallel: 101 }', { start_branch: 'main' });
await runJobs();

async function commitCiFile(branch: string, content: string, more: object): Promise<void> {
  const file = `${project.at}/repository/files/.gitlab-ci.yml`;
  const body = { branch, content, commit_message: `Change jobs of ${branch}`, ...more };
  await expectSuccess(branch === 'main' ? owner.post(file, body) : owner.put(file, body));
}

/** Returns the text of a page without its tags. */
const read = async (caller: Caller | null, address: string): Promise<string> =>
  (await renderPage(scene, caller, address)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const run = async (by: Caller = developer, params: object = {}) =>
  (await expectSuccess(by.post(`${project.at}/pipeline`, { ref: 'work', ...params }))).body;

async function findJob(pipeline: number, name: string): Promise<number> {
  const { body } = await expectSuccess(developer.get(`${project.at}/pipelines/${pipeline}/jobs`));
  return body.find((job: { readonly name: string }) => job.name === name).id;
}

test('the list shows pipelines with status, ref and source, and when they ran', async () => {
  const { id } = await run();
  const text = await read(reporter, `${PATH}/pipelines?ref=work`);
  assert.match(text, new RegExp(`Pending #${id} work [0-9a-f]{8} API`));
  assert.match(text, /\d+ pipelines? of 1 ref from .* pending/);
  assert.match(text, /Data of the chart Ref Item State From Duration work #\d+/);
});

test('a stage with many jobs shows a hundred of them first', async () => {
  const { id } = await run(developer, { ref: 'wide' });
  const text = await read(reporter, `${PATH}/pipelines/${id}`);
  assert.equal(text.match(/unit \d+\/101/g)?.length, 100);
  assert.match(text, /Show more of 101/);
});

test('variables are shown in pages', async () => {
  const many = await scene.newProject();
  for (let index = 10; index <= 30; index++)
    await expectSuccess(many.owner.post(`${many.at}/variables`, { key: `PAGE_${index}`, value: 'x' }));
  const address = `/${many.path_with_namespace}/-/variables`;
  assert.match(await read(many.owner, address), /PAGE_29 .*Page 1 Next/);
  assert.match(await read(many.owner, `${address}?page=2`), /PAGE_30 .*Previous Page 2/);
});

test('the list is filtered by status, source and ref', async () => {
  const { id } = await run();
  assert.match(await read(developer, `${PATH}/pipelines?source=api&status=pending&ref=work`), new RegExp(`#${id} `));
  for (const filter of ['source=schedule', 'status=success', 'ref=nothing'])
    assert.match(await read(developer, `${PATH}/pipelines?${filter}`), /No pipeline matches these filters/, filter);
  assert.match(await read(developer, `${PATH}/pipelines?status=nonsense&ref=work`), new RegExp(`#${id} `));
});

test('a project without pipelines shows how to run the first one', async () => {
  const other = await scene.newProject({ readme: true });
  const text = await read(other.owner, `/${other.path_with_namespace}/-/pipelines`);
  assert.match(text, /No pipelines .* curl --request POST .*\/pipeline/);
});

test('only those who may run pipelines see how', async () => {
  const { id } = await run();
  for (const [caller, isShown] of [
    [reporter, false],
    [developer, true],
  ] as const) {
    assert.equal((await read(caller, `${PATH}/pipelines`)).includes('Run a pipeline'), isShown);
    assert.equal((await read(caller, `${PATH}/pipelines/${id}`)).includes('Cancel'), isShown);
  }
  assert.doesNotMatch(await read(maintainer, `${PATH}/pipelines/${id}`), /Delete/);
  assert.match(await read(owner, `${PATH}/pipelines/${id}`), /Delete/);
});

test('a pipeline shows its stages with their jobs, and what they need', async () => {
  const { id } = await run();
  const text = await read(reporter, `${PATH}/pipelines/${id}`);
  assert.match(
    text,
    /build compile Pending test unit Created ship ship Manual|build compile Pending .*test unit .*ship/,
  );
  assert.match(text, /Needs 3 jobs in 3 steps, 1 need\. .*unit compile ship all jobs of earlier stages/);
});

test('a pipeline with an invalid file shows the error', async () => {
  const { body } = await expectSuccess(developer.get(`${project.at}/pipelines`, { ref: 'broken' }));
  const text = await read(reporter, `${PATH}/pipelines/${body[0].id}`);
  assert.match(text, /The CI file is invalid: .*nowhere.* This pipeline has no jobs/);
});

test('variables are offered to those who may read them, and their values are not in the page', async () => {
  const { id } = await run(developer, { variables: [{ key: 'SECRET', value: 'swordfish' }] });
  for (const [caller, isShown] of [
    [reporter, false],
    [developer, true],
    [maintainer, true],
  ] as const) {
    const text = await read(caller, `${PATH}/pipelines/${id}`);
    assert.equal(text.includes('Show the variables'), isShown, caller.username);
    assert.doesNotMatch(text, /swordfish/);
  }
});

test('guests see neither pipelines nor jobs of a project without public jobs', async () => {
  const { id } = await run();
  await expectSuccess(owner.put(project.at, { public_jobs: false }));
  for (const page of ['pipelines', `pipelines/${id}`, 'jobs', `jobs/${await findJob(id, 'compile')}`])
    assert.match(await read(guest, `${PATH}/${page}`), /You are not allowed/, page);
  await expectSuccess(owner.put(project.at, { public_jobs: true }));
});

test('a job shows its state, its pipeline and its artifacts, and offers its actions', async () => {
  const { id } = await run();
  const job = await findJob(id, 'compile');
  const text = await read(developer, `${PATH}/jobs/${job}`);
  assert.match(text, new RegExp(`compile Pending .*Stage build of pipeline #${id} work .*Cancel .*has not started`));
  assert.doesNotMatch(await read(reporter, `${PATH}/jobs/${job}`), /Cancel/);
  await expectSuccess(developer.post(`${project.at}/jobs/${job}/cancel`));
  assert.match(await read(developer, `${PATH}/jobs/${job}`), /Canceled .*Retry/);
});

test('a manual job asks for variables', async () => {
  const { id } = await run(developer, { ref: 'by-hand' });
  const job = await findJob(id, 'ship');
  assert.match(await read(developer, `${PATH}/jobs/${job}`), /ship Manual .*Variables .*Run the job/);
  assert.doesNotMatch(await read(reporter, `${PATH}/jobs/${job}`), /Run the job/);
  assert.match(await read(developer, `${PATH}/pipelines/${id}`), /ship Manual Run ship/);
  assert.doesNotMatch(await read(reporter, `${PATH}/pipelines/${id}`), /Run ship/);
});

test('the list of jobs is filtered by status and ref', async () => {
  const { id } = await run();
  const job = new RegExp(`compile build of #${id} on work`);
  assert.match(await read(reporter, `${PATH}/jobs`), job);
  assert.match(await read(reporter, `${PATH}/jobs?status=pending&ref=work`), job);
  assert.match(await read(reporter, `${PATH}/jobs?ref=nothing`), /No job matches these filters/);
});

const SCHEDULE = { description: 'Nightly build', ref: 'work', cron: '0 2 * * *', cron_timezone: 'UTC' };

async function createSchedule(): Promise<number> {
  const { body } = await expectSuccess(developer.post(`${project.at}/pipeline_schedules`, SCHEDULE));
  const variable = { key: 'SEASON', value: 'winter' };
  await expectSuccess(developer.post(`${project.at}/pipeline_schedules/${body.id}/variables`, variable));
  return body.id;
}

test('schedules show their times and owner, and their variables only to callers who may read them', async () => {
  const id = await createSchedule();
  assert.match(await read(reporter, `${PATH}/pipeline_schedules`), /Nightly build work · 0 2 \* \* \* UTC/);
  const address = `${PATH}/pipeline_schedules/${id}`;
  assert.match(await read(developer, address), /Edit Run now Delete Variables SEASON winter .*has not run/);
  assert.match(await read(maintainer, address), /Run now Take ownership Delete Variables SEASON winter/);
  assert.doesNotMatch(await read(maintainer, address), /Set a variable/);
  assert.doesNotMatch(await read(reporter, address), /winter|Run now|Delete/);
});

test('variables show their attributes to maintainers, but no value that is masked or hidden', async () => {
  const post = (body: object) => expectSuccess(maintainer.post(`${project.at}/variables`, { ...body }));
  await post({ key: 'SIZE', value: 'large', environment_scope: 'staging/*', variable_type: 'file' });
  await post({ key: 'TOKEN', value: 'swordfish-swordfish', masked: true, protected: true, description: 'Of the shop' });
  await post({ key: 'SECRET', value: 'herring-herring', masked_and_hidden: true, raw: true });
  const text = await read(maintainer, `${PATH}/variables`);
  assert.match(text, /SIZE file environment staging\/\* large Edit SIZE Delete SIZE/);
  assert.match(text, /TOKEN masked protected •+ Show TOKEN Of the shop/);
  assert.match(text, /SECRET hidden not expanded Edit SECRET/);
  assert.doesNotMatch(text, /swordfish|herring/);
  for (const caller of [developer, guest, null])
    assert.doesNotMatch(await read(caller, `${PATH}/variables`), /SIZE|TOKEN/, caller?.username);
});

test('owners of a group see its variables', async () => {
  const group = await scene.newGroup();
  const address = `/groups/${group.full_path}/-/variables`;
  await expectSuccess(group.owner.post(`${group.at}/variables`, { key: 'SHARED', value: 'large' }));
  assert.match(await read(group.owner, address), /Variables .*SHARED large/);
  assert.doesNotMatch(await read(developer, address), /SHARED/);
});

test('runners show their type and state, and are managed where they belong', async () => {
  const description = 'own box';
  await expectSuccess(
    owner.post('/user/runners', { runner_type: 'project_type', project_id: project.id, description }),
  );
  await expectSuccess(scene.root.post('/user/runners', { runner_type: 'instance_type', description: 'shared box' }));
  const text = await read(maintainer, `${PATH}/runners`);
  assert.match(text, /#\d+ own box project never contacted Edit runner #\d+ Pause .*Remove .*Delete/);
  assert.match(text, /#\d+ shared box instance never contacted(?! Edit)/);
  assert.doesNotMatch(text, /glrt-/);
  assert.doesNotMatch(await read(developer, `${PATH}/runners`), /own box/);
});

test('runners of other projects are offered to those who manage them', async () => {
  const { body } = await expectSuccess(owner.post('/projects', { name: scene.name('other') }));
  await expectSuccess(owner.post('/user/runners', { runner_type: 'project_type', project_id: body.id }));
  assert.match(await read(owner, `${PATH}/runners`), /Use a runner of another project/);
  assert.doesNotMatch(await read(maintainer, `${PATH}/runners`), /Use a runner of another project/);
});

test('trigger tokens are complete for their owners only', async () => {
  const { body } = await expectSuccess(maintainer.post(`${project.at}/triggers`, { description: 'From the factory' }));
  assert.match(
    await read(maintainer, `${PATH}/triggers`),
    new RegExp(`From the factory ${body.token} As .* never used`),
  );
  const others = await read(owner, `${PATH}/triggers`);
  assert.match(others, /From the factory/);
  assert.doesNotMatch(others, new RegExp(body.token));
  assert.doesNotMatch(await read(developer, `${PATH}/triggers`), /From the factory/);
});

test('links to settings are shown to those who may change them', async () => {
  const links = async (caller: Caller) => {
    const html = await renderPage(scene, caller, `${PATH}/pipelines`);
    const [, list = ''] = /aria-label="Pipelines"><ul class="links">(.*?)<\/ul>/.exec(html) ?? [];
    return list
      .replace(/<[^>]*>/g, ' ')
      .trim()
      .split(/\s{2,}/);
  };
  assert.deepEqual(await links(reporter), ['Pipelines', 'Jobs', 'Schedules']);
  assert.deepEqual(await links(developer), ['Pipelines', 'Jobs', 'Schedules', 'CI lint']);
  assert.deepEqual((await links(maintainer)).slice(4), ['Variables', 'Runners', 'Triggers']);
});
