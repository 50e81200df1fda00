import type { PipelineVariableInput } from '#api/pipelines/ci-file/index.ts';

interface PushOptions {
  /** `ci.skip` */
  readonly skip: boolean;
  /** `ci.variable="KEY=value"`, of one key the last. */
  readonly variables: readonly PipelineVariableInput[];
}

const MAX_VALUE_LENGTH = 10_000;
const MAX_KEY_LENGTH = 255;

/** What `git push -o ...` says of pipelines (contract/runners.md §4.2). What is no variable is left out. */
export function parsePushOptions(options: readonly string[]): PushOptions {
  const variables = new Map<string, PipelineVariableInput>();
  for (const option of options) {
    const [name, optionValue = ''] = splitAt(option, '=');
    if (name !== 'ci.variable') continue;
    const [key, value] = splitAt(stripQuotes(optionValue), '=');
    if (value === undefined || value.length > MAX_VALUE_LENGTH) continue;
    if (key.length > MAX_KEY_LENGTH || !/^[A-Za-z0-9_]+$/.test(key)) continue;
    variables.set(key, { key, value, variable_type: 'env_var', raw: false });
  }
  return { skip: options.includes('ci.skip'), variables: [...variables.values()] };
}

function splitAt(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Some shells leave the quotes where they are. */
function stripQuotes(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
