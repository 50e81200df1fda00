/** One bare repository: an absolute directory, which may not exist yet (then it reads as empty). */
export interface Repository {
  readonly directory: string;
  /**
   * The branch that `HEAD` means in revisions, as its owner's records have it. Without it the file HEAD is asked, which
   * follows those records a moment later.
   */
  readonly head?: string;
}
