import assert from 'node:assert/strict';
import { HOSTILE_BRANCH, HOSTILE_MARKDOWN, HOSTILE_NAME, HOSTILE_SVG } from './hostile-texts.ts';
import type { Setup } from './setup.ts';

const FORMATTED = [
  '# Title',
  '### Skips a level\n\nSee #1, @root, [top](#title) and [other](texts/0.md). ![pixel](image.svg)',
  '![foreign](https://elsewhere.test/a.png)',
  '- [ ] open\n- [x] done',
  '```ts\nconst a = 1;\n```',
  '| a | b |\n|---|--:|\n| 1 | 2 |',
  '<details><summary>More</summary><kbd>Ctrl</kbd></details>',
].join('\n\n');

/** A long text, one that expands to 300 MB, and one with 240,000 elements. */
const EXPENSIVE_TEXTS = [
  'A long text. '.repeat(50_000),
  `[a]: https://elsewhere.test/${'a'.repeat(10_000)}\n\n${'[a] '.repeat(30_000)}`,
  '*a* '.repeat(60_000),
];

export interface HostileProject {
  readonly path: string;
  /** Pages that show hostile names. */
  readonly pages: readonly string[];
  /** The page of a running job. */
  readonly job: string;
  /** Adds to the log of the job, as its runner does. */
  readonly appendTrace: (text: string) => Promise<void>;
  /** Pages of issues whose descriptions are too expensive to format, each with a short comment. */
  readonly expensiveIssues: readonly string[];
}

/** Creates a project in which everything that has a name or a text is hostile. */
export async function createHostileProject({ base, post }: Setup): Promise<HostileProject> {
  const { path_with_namespace: path } = (await post('/projects', {
    name: 'hostile',
    visibility: 'public',
    description: HOSTILE_NAME,
  })) as { readonly path_with_namespace: string };
  const api = `/projects/${encodeURIComponent(path)}`;
  const files: Readonly<Record<string, string>> = {
    'README.md': `# Hostile\n\n${HOSTILE_NAME}\n`,
    '.gitlab-ci.yml': `${JSON.stringify(HOSTILE_NAME)}: { script: [make] }\n`,
    [`${HOSTILE_NAME}/${HOSTILE_NAME}.ts`]: `const a = '</span></pre>${HOSTILE_NAME}';\n`,
    'page.html': `${HOSTILE_NAME}<script>alert(1)</script>\n`,
    'image.svg': HOSTILE_SVG,
    'format.md': FORMATTED,
    ...Object.fromEntries(HOSTILE_MARKDOWN.map((text, index) => [`texts/${index}.md`, text])),
  };
  await post(`${api}/repository/commits`, {
    branch: 'main',
    commit_message: HOSTILE_NAME,
    author_name: HOSTILE_NAME,
    actions: Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content })),
  });
  await post(`${api}/repository/branches`, { branch: HOSTILE_BRANCH, ref: 'main' });
  await post(`${api}/labels`, { name: HOSTILE_NAME, color: '#a83d17' });
  // The colour of a label becomes a style.
  const color = 'red; background: url(https://elsewhere.test/a.png)';
  await assert.rejects(post(`${api}/labels`, { name: 'color', color }), /color/);
  const issue = await post(`${api}/issues`, { title: HOSTILE_NAME, description: HOSTILE_NAME, labels: HOSTILE_NAME });
  await post(`${api}/issues/${issue.iid}/notes`, { body: HOSTILE_NAME });
  await post('/users', {
    name: HOSTILE_NAME,
    username: 'hostile-user',
    email: 'hostile@example.com',
    password: 'a-Long-passw0rd',
    skip_confirmation: true,
  });
  const pipeline = await post(`${api}/pipeline`, { ref: 'main' });
  const runner = await post('/user/runners', { runner_type: 'project_type', project_id: pipeline.project_id });
  const job = await post('/jobs/request', { token: runner.token, system_id: 's_hostile' });
  let traceLength = 0;
  const appendTrace = async (text: string): Promise<void> => {
    const body = Buffer.from(text);
    const range = `${traceLength}-${traceLength + body.length - 1}`;
    const headers = { 'JOB-TOKEN': String(job.token), 'Content-Range': range, 'Content-Type': 'text/plain' };
    const response = await fetch(`${base}/api/v4/jobs/${job.id}/trace`, { method: 'PATCH', headers, body });
    assert.equal(response.status, 202, await response.text());
    traceLength += body.length;
  };
  const expensiveIssues: string[] = [];
  for (const description of EXPENSIVE_TEXTS) {
    const { iid } = await post(`${api}/issues`, { title: 'Expensive', description });
    await post(`${api}/issues/${iid}/notes`, { body: 'A **short** comment' });
    expensiveIssues.push(`/${path}/-/issues/${iid}`);
  }
  const file = [HOSTILE_NAME, `${HOSTILE_NAME}.ts`].map(encodeURIComponent).join('/');
  const branch = HOSTILE_BRANCH.split('/').map(encodeURIComponent).join('/');
  const inProject = [
    '',
    '/-/commits/main',
    '/-/branches',
    '/-/issues',
    `/-/issues/${issue.iid}`,
    '/-/pipelines',
    '/-/jobs',
  ];
  const atRef = [
    `tree/main/${encodeURIComponent(HOSTILE_NAME)}`,
    `blob/main/${file}`,
    `blame/main/${file}`,
    `tree/${branch}`,
    'blob/main/page.html',
    'blob/main/image.svg',
  ];
  return {
    path,
    pages: [
      ...inProject.map((page) => `/${path}${page}`),
      ...atRef.map((page) => `/${path}/-/${page}`),
      '/hostile-user',
      `/explore?search=${encodeURIComponent(HOSTILE_NAME)}`,
    ],
    job: `/${path}/-/jobs/${job.id}`,
    appendTrace,
    expensiveIssues,
  };
}
