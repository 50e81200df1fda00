import assert from 'node:assert/strict';
import { attack, startTarget } from './attack.ts';

// One commit with the maximum number of small actions; other requests run between them.

const target = await startTarget();
const { id } = await target.done('POST', '/projects', { name: 'many-actions', initialize_with_readme: true });
let commits = 0;

const sendCommit = (actions: readonly object[]) => {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ branch: 'main', commit_message: 'Many', actions });
  return target.send('POST', `/projects/${id}/repository/commits`, { headers, body });
};

const commit = async (actions: readonly object[]) => {
  const answer = await sendCommit(actions);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id as string;
};

const many = (count: number, make: (index: number) => object) => Array.from({ length: count }, (_, at) => make(at));

let tip = await commit(
  many(2_000, (at) => ({ action: 'create', file_path: `edited/${at % 20}/file-${at}.txt`, content: `${at}` })),
);

attack('a commit that checks the last commit of 2,000 files does not delay other requests', target, async () => {
  commits++;
  tip = await commit(
    many(2_000, (at) => ({
      action: 'update',
      file_path: `edited/${at % 20}/file-${at}.txt`,
      content: `edited ${commits}`,
      last_commit_id: tip,
    })),
  );
});

attack('a commit of 10,000 new files does not delay other requests', target, async () => {
  const folder = `new-${commits++}`;
  await commit(
    many(10_000, (at) => ({
      action: 'create',
      file_path: `${folder}/${at % 100}/file-${at}.txt`,
      content: `text ${at}`,
    })),
  );
});

attack('a commit of 10,000 new files in one folder does not delay other requests', target, async () => {
  const folder = `flat-${commits++}`;
  await commit(
    many(10_000, (at) => ({ action: 'create', file_path: `${folder}/file-${at}.txt`, content: `text ${at}` })),
  );
});

const deepFiles = (folder: string, count: number) =>
  many(count, (at) => ({ action: 'create', file_path: `${folder}/${at}/${'x/'.repeat(200)}f`, content: '' }));

attack('a commit of 450 files, each 200 folders deep, does not delay other requests', target, async () => {
  await commit(deepFiles(`deep-${commits++}`, 450));
});

attack('rejects a commit with too many folders immediately', target, async () => {
  const { status, body } = await sendCommit(deepFiles('deeper', 5_000));
  assert.deepEqual([status, body.message], [400, 'The commit changes too many directories (maximum is 100000)']);
});
