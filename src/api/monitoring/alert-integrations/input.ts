import type { RawParameters } from '#http/parameters/brackets.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isMapping } from '../attribute-mappings/index.ts';
import { readSamplePayload } from './payload-parameter.ts';

/** Validates the payload parameters of an integration before anything is written. */

export interface IntegrationPayloadInput {
  readonly payload_example?: RawParameters | string | null | undefined;
  readonly payload_attribute_mapping?: RawParameters | null | undefined;
}

/** Column values of the payload parameters; absent columns stay unchanged. */
export interface PayloadColumns {
  readonly payload_example?: string;
  readonly payload_attribute_mapping?: string;
}

type PayloadInputError = 'exampleInvalid' | 'exampleTooLarge' | 'invalid';

/** Maximum length of a mapping, in characters. Each received payload parses the mapping. */
const MAX_MAPPING_LENGTH = 65_536;

const INVALID_MAPPING = { payload_attribute_mapping: ['must be a valid json schema'] };

/** Returns the JSON of the example and of the mapping. Returns an empty object on tier free, which ignores both. */
export async function toPayloadColumns(
  input: IntegrationPayloadInput,
  tier: string,
): Promise<PayloadColumns | Failure<PayloadInputError>> {
  if (tier === 'free') return {};
  const { payload_example, payload_attribute_mapping } = input;
  const example = payload_example == null ? null : await readSamplePayload(payload_example);
  if (example === 'tooLarge') return fail('exampleTooLarge');
  if (example === 'invalid' || example === 'tooDeep') return fail('exampleInvalid');
  const mapping = payload_attribute_mapping == null ? null : toMappingJson(payload_attribute_mapping);
  if (mapping === 'invalid') return fail('invalid', { errors: INVALID_MAPPING });
  return {
    ...(example && { payload_example: example.json }),
    ...(mapping && { payload_attribute_mapping: mapping }),
  };
}

/** Returns the JSON of a mapping, or `invalid` if it does not match the schema or is too long. */
function toMappingJson(mapping: RawParameters): string {
  const json = isMapping(mapping) ? JSON.stringify(mapping) : '';
  return json === '' || json.length > MAX_MAPPING_LENGTH ? 'invalid' : json;
}
