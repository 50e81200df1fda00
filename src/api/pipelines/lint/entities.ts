import { type Static, Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, shape } from '#http/endpoint/responses.ts';

const text = Type.String();
const texts = Type.Array(text);
/** As the file says it. */
const said = nullable(Type.Object({}, { additionalProperties: true }));

const LintedInclude = shape('LintedInclude', {
  type: Type.Literal('local'),
  location: text,
  blob: text,
  raw: text,
  extra: shape('LintedIncludeExtra', {}),
  context_project: text,
  context_sha: text,
});

export const LintedJob = shape('LintedJob', {
  name: text,
  stage: text,
  before_script: texts,
  script: texts,
  after_script: texts,
  tag_list: texts,
  /** These and `needs` are what the file says: a pipeline has been decided about by them. */
  only: Type.Optional(said),
  except: Type.Optional(said),
  environment: nullable(text),
  when: text,
  allow_failure: Type.Boolean(),
  needs: Type.Optional(
    nullable(Type.Array(shape('LintedNeed', { name: text, artifacts: Type.Boolean(), optional: Type.Boolean() }))),
  ),
});

export type LintedJob = Static<typeof LintedJob>;

/** What is known of a CI file that nothing has been made of. */
export interface Linted {
  readonly errors: readonly string[];
  /** Null: it does not get so far. */
  readonly yaml: string | null;
  /** The paths of what it includes. */
  readonly includes: readonly string[];
  /** Where these are: at which commit of which project, by its path. */
  readonly at: { readonly project: string; readonly sha: string | null };
  /** Null: nobody has asked for them. */
  readonly jobs: readonly LintedJob[] | null;
}

/** What becomes of a CI file (contract/runners.md §4.9). */
export const LintResult = entity('LintResult', {
  valid: Type.Boolean(),
  errors: texts,
  warnings: texts,
  merged_yaml: nullable(text),
  includes: Type.Array(LintedInclude),
  jobs: Type.Optional(Type.Array(LintedJob)),
}).from(({ errors, yaml, includes, at, jobs }: Linted, { url }) => ({
  valid: errors.length === 0,
  errors: [...errors],
  warnings: [],
  merged_yaml: yaml,
  includes: includes.map((path) => {
    const pageOf = (kind: string) =>
      `${url}/${at.project}/-/${kind}/${at.sha}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const context = { context_project: at.project, context_sha: at.sha ?? '' };
    return { type: 'local' as const, location: path, blob: pageOf('blob'), raw: pageOf('raw'), extra: {}, ...context };
  }),
  ...(jobs === null ? {} : { jobs: [...jobs] }),
}));
