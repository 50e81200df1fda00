import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// Merge requests of the web application: what the pages show to which callers, and why merging is blocked.

const scene = await world({
  project: { visibility: 'public', readme: true, with: ['developer', 'reporter', 'maintainer'] },
});
const { project, owner, developer, reporter, maintainer, root, user } = scene;
const stranger = await user();

const toText = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

interface Created {
  readonly iid: number;
  /** The address of its page. */
  readonly page: string;
  /** The URL of the API. */
  readonly at: string;
  readonly branch: string;
  readonly diff_refs: object;
}

/** Creates a merge request of the developer with one changed file. */
async function create(input: object = {}, into: Project = project): Promise<Created> {
  const branch = scene.name('fix');
  const path = `${branch}.txt`;
  const author = into === project ? developer : into.owner;
  await expectSuccess(
    author.post(`${into.at}/repository/commits`, {
      branch,
      start_branch: 'main',
      commit_message: `Change ${path}`,
      actions: [{ action: 'create', file_path: path, content: 'one\ntwo\n' }],
    }),
  );
  const { body } = await expectSuccess(
    author.post(`${into.at}/merge_requests`, {
      title: `Merge ${branch}`,
      source_branch: branch,
      target_branch: 'main',
      ...input,
    }),
  );
  return {
    iid: body.iid as number,
    page: `/${into.path_with_namespace}/-/merge_requests/${body.iid}`,
    at: `${into.at}/merge_requests/${body.iid}`,
    branch,
    diff_refs: body.diff_refs as object,
  };
}

const render = async (caller: Caller | null, address: string) => renderPage(scene, caller, address);
const renderText = async (caller: Caller | null, address: string) => toText(await render(caller, address));

/** Returns the reasons why merging is blocked that a page states. */
function listReasons(html: string): string[] {
  const [, list = ''] = /Merging is blocked:<\/p><ul>(.*?)<\/ul>/.exec(html) ?? [];
  return [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, reason = '']) => reason);
}

const hasButton = (html: string, label: string): boolean => new RegExp(`<button[^>]*>${label}</button>`).test(html);

test('a merge request shows its texts, branches, people and pages', async () => {
  const { page, branch } = await create({
    description: 'So that <all> is warm',
    reviewer_ids: [reporter.id],
    assignee_ids: [developer.id],
    labels: 'heat',
  });
  const html = await render(null, page);
  assert.match(html, /So that &lt;all> is warm/);
  assert.match(toText(html), new RegExp(`open .*${branch} into main`));
  assert.match(html, new RegExp(`<dt>Assignees</dt><dd>.*title="@${developer.username}".*<dt>Reviewers`));
  assert.match(html, new RegExp(`${reporter.username}.*has not reviewed yet`));
  for (const name of ['diffs', 'commits']) assert.ok(html.includes(`href="${page}/${name}"`), name);
  assert.match(await renderText(null, `${page}/commits`), new RegExp(`Change ${branch}\\.txt`));
  assert.match(await renderText(null, `${page}/diffs`), /1 changed file, .*\+one .*\+two/);
  assert.match(await renderText(developer, `${page}/pipelines`), /No pipelines/);
});

test('who may do so edits, closes and deletes a merge request', async () => {
  const { page } = await create();
  const labels = ['Edit', 'Mark as draft', 'Close merge request', 'Edit details', 'Delete merge request'];
  for (const [caller, expected] of [
    [root, labels],
    [owner, labels],
    [developer, labels.slice(0, 4)],
    [reporter, []],
    [stranger, []],
    [null, []],
  ] as const) {
    const html = await render(caller, page);
    assert.deepEqual(
      labels.filter((label) => hasButton(html, label)),
      expected,
      caller?.username,
    );
  }
});

test('the author edits their own merge request after they have lost the role', async () => {
  const author = await project.addMember('developer');
  const { branch } = await create();
  await expectSuccess(owner.post(`${project.at}/repository/branches`, { branch: `${branch}-own`, ref: branch }));
  const { body } = await expectSuccess(
    author.post(`${project.at}/merge_requests`, {
      title: 'Own',
      source_branch: `${branch}-own`,
      target_branch: 'main',
    }),
  );
  await expectSuccess(owner.put(`${project.at}/members/${author.id}`, { access_level: 20 }));
  const html = await render(author, `/${project.path_with_namespace}/-/merge_requests/${body.iid}`);
  assert.equal(hasButton(html, 'Edit'), true);
  assert.equal(hasButton(html, 'Edit details'), false);
});

test('approvals are shown, offered to those who can approve, and revoked by those who have', async () => {
  const { page, at } = await create();
  assert.equal(hasButton(await render(maintainer, page), 'Approve'), true);
  assert.equal(hasButton(await render(reporter, page), 'Approve'), false);
  assert.match(await renderText(null, page), /Nobody has approved yet/);
  await expectSuccess(maintainer.post(`${at}/approve`));
  const html = await render(maintainer, page);
  assert.equal(hasButton(html, 'Approve'), false);
  assert.equal(hasButton(html, 'Revoke approval'), true);
  assert.match(await renderText(null, page), /approved now|approved .*ago/);
});

test('threads stand under their lines, and the timeline links to the line', async () => {
  const { page, at, branch, diff_refs } = await create();
  const file = { new_path: `${branch}.txt`, old_path: `${branch}.txt` };
  const position = { ...diff_refs, position_type: 'text', ...file, new_line: 2 };
  await expectSuccess(reporter.post(`${at}/discussions`, { body: 'Why two?', position }));
  const diffs = await render(developer, `${page}/diffs`);
  assert.match(diffs, new RegExp(`<tr id="diff-${branch}\\.txt__2".*?</tbody><tbody class="diff-block">.*?Why two\\?`));
  assert.equal(hasButton(diffs, 'Reply<span class="hidden"> to [^<]*</span>'), true);
  assert.equal(hasButton(diffs, 'Resolve<span class="hidden"> thread of [^<]*</span>'), true);
  assert.match(diffs, /The number of a line opens a form/);
  const visitor = await render(null, `${page}/diffs`);
  assert.doesNotMatch(visitor, /Why two|The number of a line opens a form/);
  assert.ok((await render(developer, page)).includes(`href="${page}/diffs#diff-${branch}.txt__2"`));
});

test('threads on an earlier version are counted, and shown in the overview', async () => {
  const { page, at, branch, diff_refs } = await create();
  const file = { new_path: `${branch}.txt`, old_path: `${branch}.txt` };
  const position = { ...diff_refs, position_type: 'text', ...file, new_line: 2 };
  await expectSuccess(reporter.post(`${at}/discussions`, { body: 'Why two?', position }));
  await project.commit({ [`${branch}.txt`]: 'three\n' }, { branch });
  assert.match(await renderText(developer, `${page}/diffs`), /One thread is on lines of an earlier version/);
  assert.match(await renderText(developer, page), /line 2 of an earlier version .*Why two\?/);
});

test('a merge request that is ready has a form that merges it, for those who can', async () => {
  const { page, at } = await create();
  const html = await render(maintainer, page);
  assert.deepEqual(listReasons(html), []);
  assert.match(toText(html), /It is ready to be merged/);
  assert.equal(hasButton(html, 'Merge'), true);
  for (const name of ['should_remove_source_branch', 'squash']) assert.match(html, new RegExp(`name="${name}"`));
  await expectSuccess(maintainer.put(`${at}/merge`));
  const after = await render(null, page);
  assert.match(toText(after), /merged into main .*as [0-9a-f]{8}/);
  assert.equal(hasButton(after, 'Merge'), false);
});

test('shows callers without the permission that they cannot merge', async () => {
  const { page } = await create();
  for (const caller of [developer, reporter, stranger, null])
    assert.deepEqual(
      listReasons(await render(caller, page)),
      ['You are not allowed to merge into main.'],
      caller?.username,
    );
});

/** Asserts the reasons that the owner of the project sees. */
async function assertReasons(by: Caller, page: string, expected: readonly RegExp[]): Promise<void> {
  const html = await render(by, page);
  const reasons = listReasons(html);
  assert.equal(reasons.length, expected.length, reasons.join('\n'));
  for (const [index, reason] of expected.entries()) assert.match(reasons[index]!, reason);
  assert.equal(hasButton(html, 'Merge'), false);
}

/** Creates a project with these settings, and a merge request in it. */
async function createIn(settings: object, input: object = {}) {
  const place = await scene.newProject({ visibility: 'public', readme: true });
  await expectSuccess(place.owner.put(place.at, settings as Record<string, unknown>));
  return { place, owner: place.owner, ...(await create(input, place)) };
}

test('blocked: a draft, with auto-merge as soon as it is ready', async () => {
  const { owner, page } = await createIn({ description: 'x' }, { title: 'Draft: x' });
  await assertReasons(owner, page, [/is a draft/]);
  const html = await render(owner, page);
  assert.equal(hasButton(html, 'Merge when all checks are met'), true);
  assert.equal(hasButton(html, 'Mark as ready'), true);
});

test('blocked: closed, and archived', async () => {
  const { owner, page, at, place } = await createIn({ description: 'x' });
  await expectSuccess(owner.put(at, { state_event: 'close' }));
  await assertReasons(owner, page, [/is closed/]);
  assert.equal(hasButton(await render(owner, page), 'Reopen merge request'), true);
  await expectSuccess(owner.post(`${place.at}/archive`));
  await assertReasons(owner, page, [/is closed/, /project is archived/]);
});

test('blocked: conflicts, and no commits to merge', async () => {
  const { owner, page, branch, place } = await createIn({ description: 'x' });
  await place.commit({ [`${branch}.txt`]: 'other\n' });
  await assertReasons(owner, page, [/have conflicts\. Merge main into/]);
  const html = await render(owner, page);
  assert.equal(hasButton(html, 'Rebase'), false);
  assert.match(html, new RegExp(`git switch '${branch}'`));
  const merged = await createIn({ description: 'x' });
  await merged.place.commit({ 'x.txt': 'x\n' });
  await expectSuccess(merged.owner.delete(`${merged.place.at}/repository/branches/${merged.branch}`));
  assert.equal(hasButton(await render(merged.owner, merged.page), 'Merge'), false);
  assert.notDeepEqual(listReasons(await render(merged.owner, merged.page)), []);
});

test('blocked: open threads, the form of the title, and a later time', async () => {
  const { owner, page, at } = await createIn({
    only_allow_merge_if_all_discussions_are_resolved: true,
    merge_request_title_regex: '^fix: ',
    merge_request_title_regex_description: 'fix: and a sentence',
  });
  await assertReasons(owner, page, [/fix: and a sentence/]);
  await expectSuccess(owner.put(at, { title: 'fix: heat' }));
  const { body: thread } = await expectSuccess(owner.post(`${at}/discussions`, { body: 'Why?' }));
  const merge_after = new Date(scene.clock.now().getTime() + 50 * 3_600_000).toISOString();
  await expectSuccess(owner.put(at, { merge_after }));
  await assertReasons(owner, page, [/only /, /all threads are resolved/]);
  await expectSuccess(owner.put(`${at}/discussions/${thread.id}`, { resolved: true }));
  await assertReasons(owner, page, [/only /]);
});

test('blocked: a branch that is behind where merge commits are not allowed', async () => {
  const { owner, page, place } = await createIn({ merge_method: 'ff' });
  await place.commit({ 'x.txt': 'x\n' });
  await assertReasons(owner, page, [/Rebase it first/]);
  assert.equal(hasButton(await render(owner, page), 'Rebase'), true);
});

test('blocked: a pipeline that is missing or has not succeeded', async () => {
  const { owner, page } = await createIn({ only_allow_merge_if_pipeline_succeeds: true });
  await assertReasons(owner, page, [/succeeds, and there is none/]);
  assert.equal(hasButton(await render(owner, page), 'Merge when all checks are met'), true);
  const ci = await scene.newProject({ visibility: 'public', readme: true });
  await expectSuccess(ci.owner.put(ci.at, { only_allow_merge_if_pipeline_succeeds: true }));
  await ci.commit({ '.gitlab-ci.yml': 'test:\n  script: ["true"]\n' });
  const waiting = await create({ title: 'Draft: x' }, ci);
  await scene.runJobs();
  await assertReasons(ci.owner, waiting.page, [/is a draft/, /has not finished/]);
});

test('auto-merge says who has enabled it, and is cancelled by them', async () => {
  const { owner, page, at } = await createIn({ description: 'x' }, { title: 'Draft: x' });
  await expectSuccess(owner.put(`${at}/merge`, { auto_merge: true }));
  const html = await render(owner, page);
  assert.match(toText(html), /has enabled auto-merge: the merge request is merged when all checks are met/);
  assert.equal(hasButton(html, 'Cancel auto-merge'), true);
  assert.equal(hasButton(html, 'Merge when all checks are met'), false);
  assert.equal(hasButton(await render(null, page), 'Cancel auto-merge'), false);
});

test('lists of projects and groups show what matches the filters', async () => {
  const group = await scene.newGroup({ visibility: 'public' });
  const place = await scene.newProject({ in: group, visibility: 'public', readme: true });
  const list = `/${place.path_with_namespace}/-/merge_requests`;
  assert.match(await renderText(place.owner, list), /No merge requests .*curl --request POST/);
  assert.match(await renderText(null, `/groups/${group.full_path}/-/merge_requests`), /No merge requests/);
  const first = await create({ title: 'Draft: Oven', description: 'hot' }, place);
  const second = await create({ title: 'Stove' }, place);
  await expectSuccess(place.owner.put(second.at, { state_event: 'close' }));
  for (const [query, titles] of [
    ['', ['Draft: Oven']],
    ['?state=closed', ['Stove']],
    ['?state=all&order_by=title&sort=asc', ['Draft: Oven', 'Stove']],
    ['?draft=false', []],
    ['?target_branch=main&search=hot', ['Draft: Oven']],
    ['?reviewer_username=nobody-has-this-name', []],
  ] as const) {
    const html = await render(null, `${list}${query}`);
    assert.deepEqual(
      [...html.matchAll(/<a class="row-title" href="[^"]*">([^<]*)<\/a>/g)].map(([, title]) => title),
      titles,
      query,
    );
  }
  assert.match(await renderText(null, list), new RegExp(`${first.branch} → main`));
  assert.match(await renderText(null, `/groups/${group.full_path}/-/merge_requests`), /Draft: Oven/);
  assert.match(await render(place.owner, list), new RegExp(`href="${list}/new"`));
  assert.doesNotMatch(await render(null, list), /New merge request/);
});

test('the form of a new merge request is filled in by its address', async () => {
  const address = `/${project.path_with_namespace}/-/merge_requests/new`;
  const html = await render(developer, `${address}?source_branch=fix/1&title=Heat`);
  for (const value of ['fix/1', 'main', 'Heat']) assert.match(html, new RegExp(`<input[^>]*value="${value}"`), value);
  const bracketed = await render(
    developer,
    `${address}?${new URLSearchParams({ 'merge_request[source_branch]': 'fix/2' })}`,
  );
  assert.match(bracketed, /<input[^>]*value="fix\/2"/);
  assert.match(await renderText(reporter, address), /You are not allowed to create merge requests/);
});
