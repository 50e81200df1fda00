import type { PipelineVariableInput } from '#api/pipelines/ci-file/index.ts';

interface PushOptions {
  /** `ci.skip`: the pipeline is stored with status skipped. */
  readonly skip: boolean;
  /** `ci.no_pipeline` */
  readonly noPipeline: boolean;
  /** `ci.variable="KEY=value"`. The last value of a duplicate key wins. */
  readonly variables: readonly PipelineVariableInput[];
}

const MAX_VALUE_LENGTH = 10_000;
const MAX_KEY_LENGTH = 255;

/** Parses the options of `git push -o ...` for pipelines (contract/runners.md §4.2). Invalid variables are ignored. */
export function parsePushOptions(options: readonly string[]): PushOptions {
  const variablesByKey = new Map<string, PipelineVariableInput>();
  for (const option of options) {
    const [name, optionValue = ''] = splitAt(option, '=');
    if (name !== 'ci.variable') continue;
    const [key, value] = splitAt(stripQuotes(optionValue), '=');
    if (value === undefined || value.length > MAX_VALUE_LENGTH) continue;
    if (key.length > MAX_KEY_LENGTH || !/^[A-Za-z0-9_]+$/.test(key)) continue;
    variablesByKey.set(key, { key, value, variable_type: 'env_var', raw: false });
  }
  return {
    skip: options.includes('ci.skip'),
    noPipeline: options.includes('ci.no_pipeline'),
    variables: [...variablesByKey.values()],
  };
}

function splitAt(text: string, separator: string): [string, string?] {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** Removes surrounding quotes, which some shells do not strip. */
function stripQuotes(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
