import assert from 'node:assert/strict';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

// Fixtures of the file tests.

export const fileUrl = (url: string, path: string, suffix = '') => `${url}/files/${encodeURIComponent(path)}${suffix}`;

/** Creates a file on `main`, or on the branch in `overrides`. */
export async function createFile(
  caller: Caller,
  url: string,
  path: string,
  content: string,
  overrides: object = {},
): Promise<TestResponse> {
  const params = { branch: 'main', content, commit_message: `Write ${path}`, ...overrides };
  const response = await caller.post(fileUrl(url, path), params);
  assert.equal(response.status, 201, response.text);
  return response;
}

export async function getTip(caller: Caller, url: string, branch = 'main'): Promise<string> {
  return (await caller.get(`${url}/branches/${encodeURIComponent(branch)}`)).body.commit.id;
}

/** Creates a project with a first commit, and helpers for files and branch tips. */
export async function createProjectWithFile() {
  const project = await (await world()).newProject({ readme: true });
  const { owner, repository } = project;
  return {
    ...project,
    at: (path: string, suffix = '') => fileUrl(repository, path, suffix),
    tip: (branch = 'main') => getTip(owner, repository, branch),
  };
}
