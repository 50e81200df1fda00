import type { PushOption } from '#repositories/ref-updates/push-options.ts';

/** Parses the options `merge_request.*` of a push (contract/repository.md §5 "Push options"). */

/** Parsed options. Undefined: the push does not have the option. If a single-value option is repeated, its last value counts; an empty one clears it. */
export interface MergeRequestOptions {
  readonly create: boolean;
  readonly target: string | undefined;
  readonly target_project: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly milestone: string | undefined;
  readonly draft: boolean | undefined;
  readonly squash: boolean | undefined;
  readonly remove_source_branch: boolean | undefined;
  readonly auto_merge: boolean | undefined;
  readonly label: readonly string[];
  readonly unlabel: readonly string[];
  /** User names or ids. */
  readonly assign: readonly string[];
  readonly unassign: readonly string[];
}

const PREFIX = 'merge_request.';

/** The deprecated name of `auto_merge`. */
const AUTO_MERGE_ALIAS = 'merge_when_pipeline_succeeds';

/** Full names of the push options for merge requests. */
export const MERGE_REQUEST_OPTIONS: readonly string[] = [
  'assign',
  'auto_merge',
  'create',
  'description',
  'draft',
  'label',
  AUTO_MERGE_ALIAS,
  'milestone',
  'remove_source_branch',
  'squash',
  'target',
  'target_project',
  'title',
  'unassign',
  'unlabel',
].map((key) => PREFIX + key);

/** Values that mean false; all other values mean true, an empty one too. */
const FALSE_VALUES = ['false', 'f', '0', 'no', 'n', 'off'];

/** Returns the options of a push for merge requests; ignores all other options. */
export function parseMergeRequestOptions(options: readonly PushOption[]): MergeRequestOptions {
  const listValues = (key: string) =>
    options.filter(({ name }) => name === PREFIX + key).flatMap(({ value }) => (value === '' ? [] : [value]));
  const findLastValue = (...keys: readonly string[]) =>
    options.findLast(({ name }) => keys.some((key) => name === PREFIX + key))?.value;
  const getText = (key: string) => findLastValue(key) || undefined;
  const getBoolean = (...keys: readonly string[]) => {
    const value = findLastValue(...keys);
    return value === undefined ? undefined : !FALSE_VALUES.includes(value.toLowerCase());
  };
  return {
    create: getBoolean('create') ?? false,
    target: getText('target'),
    target_project: getText('target_project'),
    title: getText('title'),
    // git rejects line feeds in options.
    description: getText('description')?.replaceAll('\\n', '\n'),
    milestone: getText('milestone'),
    draft: getBoolean('draft'),
    squash: getBoolean('squash'),
    remove_source_branch: getBoolean('remove_source_branch'),
    auto_merge: getBoolean('auto_merge', AUTO_MERGE_ALIAS),
    label: listValues('label'),
    unlabel: listValues('unlabel'),
    assign: listValues('assign'),
    unassign: listValues('unassign'),
  };
}
