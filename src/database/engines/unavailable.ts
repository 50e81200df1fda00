/** The database can't be reached, or refuses work for now: the request is answered 503, nothing was changed by us. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The database is unavailable: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, {
      cause,
    });
    this.name = 'DatabaseUnavailable';
  }
}
