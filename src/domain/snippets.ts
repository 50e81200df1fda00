/** Branch of snippet repositories. */
export const SNIPPET_BRANCH = 'main';
