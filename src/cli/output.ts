import type { CommandOption, CommandOutput } from './command.ts';

/** The option of commands that print data. */
export const JSON_OPTION = {
  json: { type: 'boolean', description: 'Print JSON' },
} as const satisfies Record<string, CommandOption>;

/** Prints a value as JSON, on several lines. */
export function printJson(output: CommandOutput, value: unknown): void {
  output.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints rows as a table with aligned columns. The first row is the heading. */
export function printTable(output: CommandOutput, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    const line = row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
    output.write(`${line.trimEnd()}\n`);
  }
}
