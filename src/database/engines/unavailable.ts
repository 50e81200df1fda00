/** Error for a database that cannot be reached or temporarily rejects work. The request gets status 503; nothing was changed. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The database is unavailable: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, {
      cause,
    });
    this.name = 'DatabaseUnavailable';
  }
}
