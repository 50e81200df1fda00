/** Returns a text as one word of a command for the shell. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the commands that resolve the conflicts of a source branch with its target branch. */
export function listConflictCommands(sourceBranch: string, targetBranch: string): string {
  return [
    'git fetch origin',
    `git switch ${quoteForShell(sourceBranch)}`,
    `git merge ${quoteForShell(`origin/${targetBranch}`)}`,
    '# Edit the files that git names, then:',
    'git commit --all',
    `git push origin ${quoteForShell(sourceBranch)}`,
  ].join('\n');
}
