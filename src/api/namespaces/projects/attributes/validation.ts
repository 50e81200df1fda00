import { validateTopicCharacters } from '#api/namespaces/topics/index.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import { validateRegexSyntax } from '#text/safe-regex.ts';

/** Validation of single attributes of projects, by field (contract/planning.md §3.3). Pure. */

export function validateTopics(topics: readonly string[]): FieldErrors {
  return { topics: [...new Set(topics.flatMap(validateTopicCharacters))] };
}

const MIN_TIMEOUT_SECONDS = 600;
/** One month, in seconds (exclusive). */
const TIMEOUT_LIMIT_SECONDS = 2_629_746;

export function validateBuildTimeout(seconds: number): FieldErrors {
  if (seconds >= MIN_TIMEOUT_SECONDS && seconds < TIMEOUT_LIMIT_SECONDS) return {};
  return { build_timeout: ['needs to be between 10 minutes and 1 month'] };
}

export function validateArtifactSize(mebibytes: number): FieldErrors {
  return mebibytes > 0 ? {} : { max_artifacts_size: ['must be greater than 0'] };
}

const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 31_536_000;

export function validatePipelineAge(seconds: number): FieldErrors {
  if (seconds >= DAY_SECONDS && seconds <= YEAR_SECONDS) return {};
  return { 'ci_cd_settings.delete_pipelines_in_seconds': ['must be between 1 day and 1 year'] };
}

const SUB_CLAIM_COMPONENTS = ['project_path', 'ref_type', 'ref', 'environment_protected', 'deployment_tier'];

export function validateSubClaim(components: readonly string[]): FieldErrors {
  const unknownComponents = components.filter((component) => !SUB_CLAIM_COMPONENTS.includes(component));
  return {
    'ci_cd_settings.id_token_sub_claim_components': [
      ...(components[0] === 'project_path' ? [] : ['project_path must be the first element of the sub claim']),
      ...unknownComponents.map((component) => `${component} is not an allowed sub claim component`),
    ],
  };
}

const MAX_TITLE_REGEX_LENGTH = 255;

/** Returns errors of a title expression. The syntax is checked only if the length is valid. */
export function validateTitleRegex(expression: string): FieldErrors {
  const tooLong = [...expression].length > MAX_TITLE_REGEX_LENGTH;
  return {
    merge_request_title_regex: tooLong ? ['is too long (maximum is 255 characters)'] : validateRegexSyntax(expression),
  };
}
