/** One bare repository: an absolute directory, which may not exist yet (then it reads as empty). */
export interface Repository {
  readonly directory: string;
}
