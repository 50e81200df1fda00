import assert from 'node:assert/strict';
import { type Answer, type Caller, world } from '#test/support/world.ts';

// What the tests of files begin with.

export const fileUrl = (url: string, path: string, tail = '') => `${url}/files/${encodeURIComponent(path)}${tail}`;

/** Creates a file on `main`, or where `more` says. */
export async function write(
  caller: Caller,
  url: string,
  path: string,
  content: string,
  more: object = {},
): Promise<Answer> {
  const params = { branch: 'main', content, commit_message: `Write ${path}`, ...more };
  const answer = await caller.post(fileUrl(url, path), params);
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

export async function tip(caller: Caller, url: string, branch = 'main'): Promise<string> {
  return (await caller.get(`${url}/branches/${encodeURIComponent(branch)}`)).body.commit.id;
}

/** A new project with its first commit, and short ways to a file and to the tip of a branch. */
export async function given() {
  const project = await (await world()).newProject({ readme: true });
  const { owner, repository } = project;
  return {
    ...project,
    at: (path: string, tail = '') => fileUrl(repository, path, tail),
    tip: (branch = 'main') => tip(owner, repository, branch),
  };
}
