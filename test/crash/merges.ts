import assert from 'node:assert/strict';
import type { Reader } from '#database/database.ts';
import { git, type Loading } from './load.ts';
import { ask } from './request.ts';

// Merges during the other writes; none may be lost or happen twice.

/** Opens merge requests of new branches into main, and merges them. */
export async function mergeBranches(loading: Loading): Promise<void> {
  for (let index = 0; loading.running(); index++) {
    const branch = `merging-${loading.round}-${index}`;
    const actions = [{ action: 'create', file_path: `${branch}.txt`, content: branch }];
    const commit = { branch, start_branch: 'main', commit_message: branch, actions };
    if ((await call(loading, 'POST', '/repository/commits', commit)) === null) continue;
    const params = { source_branch: branch, target_branch: 'main', title: branch };
    const made = await call(loading, 'POST', '/merge_requests', params);
    const merged =
      made && (await call(loading, 'PUT', `/merge_requests/${made.iid}/merge`, { squash: index % 2 === 0 }));
    if (merged) loading.told.merged.add(merged.iid as number);
  }
}

/** Returns the response body of a call, or null if the call failed. */
async function call(
  loading: Loading,
  method: string,
  path: string,
  body: object,
): Promise<Record<string, unknown> | null> {
  try {
    const response = await ask(loading, method, `/projects/${loading.projectId}${path}`, body);
    const answer = (await response.json()) as Record<string, unknown>;
    return response.ok ? answer : null;
  } catch {
    return null;
  }
}

/** Those that were told are merged; what is merged is so once and on main, and what is not merged is not there. */
export async function verifyMerges(
  db: Reader,
  repository: string,
  projectId: number,
  told: ReadonlySet<number>,
): Promise<void> {
  const { text } = await git(repository, 'rev-list', 'refs/heads/main');
  const onMain = new Set(text.trim().split('\n'));
  const columns = ['id', 'iid', 'state', 'head_sha', 'merge_commit_sha', 'squash_commit_sha'] as const;
  const rows = await db.selectFrom('merge_requests').select(columns).where('project_id', '=', projectId).execute();
  const steps = await db.selectFrom('resource_state_events').select('merge_request_id').execute();
  const deeds = await db.selectFrom('activity_events').select('target_id').where('action', '=', 'merged').execute();
  for (const { id, iid, state, head_sha, merge_commit_sha, squash_commit_sha } of rows) {
    const merged = state === 'merged';
    if (told.has(iid)) assert.ok(merged, `the merge of !${iid} is lost`);
    assert.equal(onMain.has(merge_commit_sha ?? head_sha), merged, `!${iid} is ${state}`);
    if (squash_commit_sha) assert.ok(onMain.has(squash_commit_sha), `the commit of !${iid} is lost`);
    const times = [steps.filter((step) => step.merge_request_id === id), deeds.filter((deed) => deed.target_id === id)];
    assert.deepEqual(
      times.map(({ length }) => length),
      merged ? [1, 1] : [0, 0],
      `!${iid} is ${state}`,
    );
  }
}
