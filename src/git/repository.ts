/** A bare repository in an absolute directory. A missing directory reads as an empty repository. */
export interface Repository {
  readonly directory: string;
  /**
   * Default branch from the database, which `HEAD` means in revisions. If undefined, the file HEAD is read, which is
   * updated shortly after the database.
   */
  readonly head?: string;
}
