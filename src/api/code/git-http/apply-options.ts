import type { RefChange } from '#git/refs/update-refs.ts';
import {
  type CompletedPush,
  type PushOption,
  type PushOptionHandler,
  parsePushOption,
} from '#repositories/ref-updates/push-options.ts';
import type { RefServices } from '#repositories/services.ts';

/** Options that pipelines carry out in the background (contract/runners.md §4.2). */
const PIPELINE_OPTIONS = ['ci.skip', 'ci.variable', 'ci.no_pipeline'];

/** Maximum number of unknown options in the message, and maximum characters of each. */
const MAX_UNKNOWN = 10;
const MAX_UNKNOWN_CHARACTERS = 100;

interface OptionContext extends Pick<CompletedPush, 'caller' | 'project' | 'baseUrl'> {
  readonly optionHandlers: readonly PushOptionHandler[];
}

interface PushWithOptions {
  readonly changes: readonly RefChange[];
  readonly options: readonly string[];
}

/** Carries out the options of a push whose refs have moved. Returns lines for the client, which name unknown options. */
export async function applyPushOptions(
  services: RefServices,
  { optionHandlers, caller, project, baseUrl }: OptionContext,
  { changes, options: texts }: PushWithOptions,
): Promise<string[]> {
  const options = texts.map(parsePushOption);
  const lines: string[] = [];
  for (const { options: names, handle } of optionHandlers) {
    const push = { caller, project, baseUrl, changes, options: options.filter(({ name }) => names.includes(name)) };
    if (push.options.length === 0) continue;
    try {
      lines.push(...(await handle(services, push)));
    } catch (error) {
      services.git.log('push_options_failed', { project: project.id, err: error });
      lines.push('WARNING: The push options could not be carried out');
    }
  }
  const names = [...PIPELINE_OPTIONS, ...optionHandlers.flatMap((handler) => handler.options)];
  return [...lines, ...describeUnknown(options.filter(({ name }) => !names.includes(name)))];
}

/** Returns the line for a push with options to a wiki or a snippet. */
export async function refusePushOptions(): Promise<string[]> {
  return ['WARNING: Push options have an effect in projects only'];
}

function describeUnknown(options: readonly PushOption[]): string[] {
  const names = [...new Set(options.map(({ name }) => name))];
  if (names.length === 0) return [];
  const shown = names.slice(0, MAX_UNKNOWN).map((name) => `'${name.slice(0, MAX_UNKNOWN_CHARACTERS)}'`);
  const more = names.length > MAX_UNKNOWN ? ` and ${names.length - MAX_UNKNOWN} more` : '';
  return [`WARNING: Unknown push options have no effect: ${shown.join(', ')}${more}`];
}
