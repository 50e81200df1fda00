import assert from 'node:assert/strict';
import { attack, startTarget } from './attack.ts';

// One commit of as many actions as there may be: each is little, and others have their turns between them.

const target = await startTarget();
const { id } = await target.done('POST', '/projects', { name: 'many-actions', initialize_with_readme: true });
let commits = 0;

const commit = async (actions: readonly object[]) => {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ branch: 'main', commit_message: 'Many', actions });
  const answer = await target.send('POST', `/projects/${id}/repository/commits`, { headers, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id as string;
};

const many = (count: number, make: (index: number) => object) => Array.from({ length: count }, (_, at) => make(at));

let tip = await commit(
  many(2_000, (at) => ({ action: 'create', file_path: `edited/${at % 20}/file-${at}.txt`, content: `${at}` })),
);

attack('a commit that asks of 2,000 files whether they are what they were holds nobody up', target, async () => {
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

attack('a commit of 10,000 new files holds nobody up', target, async () => {
  const folder = `new-${commits++}`;
  await commit(
    many(10_000, (at) => ({
      action: 'create',
      file_path: `${folder}/${at % 100}/file-${at}.txt`,
      content: `text ${at}`,
    })),
  );
});

attack('a commit of 10,000 new files in one folder holds nobody up', target, async () => {
  const folder = `flat-${commits++}`;
  await commit(
    many(10_000, (at) => ({ action: 'create', file_path: `${folder}/file-${at}.txt`, content: `text ${at}` })),
  );
});
