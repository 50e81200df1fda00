import type { Answer, Caller, Project } from '#test/support/world.ts';

/** Writes a file to a branch, which begins where `main` is. */
export function pushTo(caller: Caller, { repository }: Project, branch: string, path: string): Promise<Answer> {
  return caller.post(`${repository}/files/${path}`, {
    branch,
    start_branch: 'main',
    content: path,
    commit_message: path,
  });
}
