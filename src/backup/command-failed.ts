/** A failed command, with a message of one line for the user. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;

  constructor(kind: keyof typeof EXIT_CODES, message: string) {
    super(message);
    this.exitCode = EXIT_CODES[kind];
  }
}

/** Exit codes by kind of failure, as documented in docs/backups.md. */
const EXIT_CODES = {
  failed: 1,
  notEmpty: 3,
  damagedArchive: 4,
  otherVersion: 5,
  otherKey: 6,
  unsound: 7,
} as const;
