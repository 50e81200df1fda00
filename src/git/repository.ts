/** A bare repository: an absolute directory. A missing one reads as empty. */
export interface Repository {
  readonly directory: string;
  /**
   * The branch that `HEAD` means in revisions, from the database. Without it the file HEAD is read, which follows the
   * database shortly after.
   */
  readonly head?: string;
}
