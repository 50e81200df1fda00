import type { Caller, Project, TestResponse } from '#test/support/world.ts';

/** Writes a file to a new branch that starts at `main`. */
export function writeToBranch(
  caller: Caller,
  { repository }: Project,
  branch: string,
  path: string,
): Promise<TestResponse> {
  return caller.post(`${repository}/files/${path}`, {
    branch,
    start_branch: 'main',
    content: path,
    commit_message: path,
  });
}
