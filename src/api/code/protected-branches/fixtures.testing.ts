import type { Answer, Caller, Project } from '#test/support/world.ts';

/** Writes a file to a new branch that starts at `main`. */
export function writeToBranch(caller: Caller, { repository }: Project, branch: string, path: string): Promise<Answer> {
  return caller.post(`${repository}/files/${path}`, {
    branch,
    start_branch: 'main',
    content: path,
    commit_message: path,
  });
}
