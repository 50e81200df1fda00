import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, objectSchema } from '#http/endpoint/responses.ts';
import type { CiLintJobRow } from '../ci-file/index.ts';

const text = Type.String();
const texts = Type.Array(text);
/** Schema of a keyword's value, as written in the file. */
const keywordValue = nullable(Type.Object({}, { additionalProperties: true }));

const LintedInclude = objectSchema('LintedInclude', {
  type: Type.Literal('local'),
  location: text,
  blob: text,
  raw: text,
  extra: objectSchema('LintedIncludeExtra', {}),
  context_project: text,
  context_sha: text,
});

const LintedJob = objectSchema('LintedJob', {
  name: text,
  stage: text,
  before_script: texts,
  script: texts,
  after_script: texts,
  tag_list: texts,
  /** `only`, `except` and `needs` are taken from the file; a dry run has evaluated them and omits them. */
  only: Type.Optional(keywordValue),
  except: Type.Optional(keywordValue),
  environment: nullable(text),
  when: text,
  allow_failure: Type.Boolean(),
  needs: Type.Optional(
    nullable(
      Type.Array(objectSchema('LintedNeed', { name: text, artifacts: Type.Boolean(), optional: Type.Boolean() })),
    ),
  ),
});

/** The result of linting a CI file. */
export interface CiLintResult {
  readonly errors: readonly string[];
  /** Null: the file could not be merged. */
  readonly yaml: string | null;
  /** Paths of included files. */
  readonly includes: readonly string[];
  readonly warnings: readonly string[];
  /** Project path and commit of the included files. */
  readonly source: { readonly project: string; readonly sha: string | null };
  /** Null: not requested. */
  readonly jobs: readonly CiLintJobRow[] | null;
}

/** The serialized lint result (contract/runners.md §4.9). */
export const LintResult = entity('LintResult', {
  valid: Type.Boolean(),
  errors: texts,
  warnings: texts,
  merged_yaml: nullable(Type.String({ description: 'Null if the file could not be parsed.' })),
  includes: Type.Array(LintedInclude),
  jobs: Type.Optional(Type.Array(LintedJob)),
}).from(({ errors, warnings, yaml, includes, source, jobs }: CiLintResult, { url }) => ({
  valid: errors.length === 0,
  errors: [...errors],
  warnings: [...warnings],
  merged_yaml: yaml,
  includes: includes.map((path) => {
    const buildPageUrl = (kind: string) =>
      `${url}/${source.project}/-/${kind}/${source.sha}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const context = { context_project: source.project, context_sha: source.sha ?? '' };
    return {
      type: 'local' as const,
      location: path,
      blob: buildPageUrl('blob'),
      raw: buildPageUrl('raw'),
      extra: {},
      ...context,
    };
  }),
  ...(jobs === null ? {} : { jobs: [...jobs] }),
}));
