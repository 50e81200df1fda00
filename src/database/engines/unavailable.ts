/** The database cannot be reached or rejects work temporarily. The request gets status 503, and nothing was changed. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The database is unavailable: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, {
      cause,
    });
    this.name = 'DatabaseUnavailable';
  }
}
