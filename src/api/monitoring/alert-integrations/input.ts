import type { RawParameters } from '#http/parameters/brackets.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isMapping } from '../attribute-mappings/index.ts';
import { readPayload } from './payload-parameter.ts';

/** What a call says of an integration, checked before anything is changed. */

export interface Given {
  readonly payload_example?: RawParameters | string | null | undefined;
  readonly payload_attribute_mapping?: RawParameters | null | undefined;
}

/** As it is stored; what was not given is not there. */
export interface StoredIntegration {
  readonly payload_example?: string;
  readonly payload_attribute_mapping?: string;
}

type Wrong = 'exampleInvalid' | 'exampleTooLarge' | 'invalid';

/** Characters of the longest mapping: it is read with each payload. */
const LONGEST_MAPPING = 65_536;

const INVALID_MAPPING = { payload_attribute_mapping: ['must be a valid json schema'] };

/** The JSON of example and mapping; tier free has neither, whatever is given. */
export async function storedOf(given: Given, tier: string): Promise<StoredIntegration | Failure<Wrong>> {
  if (tier === 'free') return {};
  const { payload_example, payload_attribute_mapping } = given;
  const example = payload_example == null ? null : await readPayload(payload_example);
  if (example === 'tooLarge') return fail('exampleTooLarge');
  if (example === 'invalid' || example === 'tooDeep') return fail('exampleInvalid');
  const mapping = payload_attribute_mapping == null ? null : mappingJson(payload_attribute_mapping);
  if (mapping === 'invalid') return fail('invalid', { errors: INVALID_MAPPING });
  return {
    ...(example && { payload_example: example.json }),
    ...(mapping && { payload_attribute_mapping: mapping }),
  };
}

function mappingJson(given: RawParameters): string {
  const json = isMapping(given) ? JSON.stringify(given) : '';
  return json === '' || json.length > LONGEST_MAPPING ? 'invalid' : json;
}
