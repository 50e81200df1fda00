import type { Command } from './command.ts';

interface CommandEntry {
  /** One word, or two: `user create`. */
  readonly name: string;
  /** The summary of the command in the list of commands. */
  readonly summary: string;
  /** Loads the command, and with it only the modules that its help needs. */
  readonly load: () => Promise<Command>;
}

/** All commands, in the order of the help. Dispatch and help use this table. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'Run the server (the default)',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'demo',
    summary: 'Run a server with an example company',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'status',
    summary: 'Print version, database, storages and queue',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'migrate',
    summary: 'Migrate the database to this version',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'user create',
    summary: 'Create a user',
    load: async () => (await import('./user.ts')).createUserCommand,
  },
  {
    name: 'user list',
    summary: 'List users',
    load: async () => (await import('./user.ts')).listUsersCommand,
  },
  {
    name: 'user block',
    summary: 'Block a user',
    load: async () => (await import('./user.ts')).blockUserCommand,
  },
  {
    name: 'user unblock',
    summary: 'Unblock a user',
    load: async () => (await import('./user.ts')).unblockUserCommand,
  },
  {
    name: 'user unlock',
    summary: 'Unlock a user after too many wrong passwords',
    load: async () => (await import('./user.ts')).unlockUserCommand,
  },
  {
    name: 'user reset-password',
    summary: 'Set a new password of a user',
    load: async () => (await import('./user.ts')).resetPasswordCommand,
  },
  {
    name: 'user make-admin',
    summary: 'Make a user an administrator',
    load: async () => (await import('./user.ts')).makeAdminCommand,
  },
  {
    name: 'token create',
    summary: 'Create a personal access token and print it',
    load: async () => (await import('./token.ts')).createTokenCommand,
  },
  {
    name: 'token list',
    summary: 'List personal access tokens',
    load: async () => (await import('./token.ts')).listTokensCommand,
  },
  {
    name: 'token revoke',
    summary: 'Revoke a personal access token',
    load: async () => (await import('./token.ts')).revokeTokenCommand,
  },
  {
    name: 'settings list',
    summary: 'List the application settings',
    load: async () => (await import('./settings.ts')).listSettingsCommand,
  },
  {
    name: 'backup',
    summary: 'Write a backup of a server, which may be running',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'Restore a backup into an empty server',
    load: async () => (await import('./backup.ts')).restoreCommand,
  },
  {
    name: 'doctor',
    summary: 'Check that rows, repositories and files are consistent',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'secret-key rotate',
    summary: 'Encrypt all stored secrets with a new key',
    load: async () => (await import('./secret-key.ts')).rotateSecretKeyCommand,
  },
];
