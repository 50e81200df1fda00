/** The branch that a snippet's repository has. */
export const SNIPPET_BRANCH = 'main';
