import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import {
  type Attribute,
  type AttributeName,
  type AttributeValues,
  attributeEntries,
  attributes,
} from './attributes.ts';
import { storedAttributes } from './stored-attributes.ts';
import { guardErrors } from './unsupported-attributes.ts';

/** What a caller's values of attributes mean (contract/planning.md §3.3). Pure. */

/** Who sends them, and on which tier. */
interface Sender {
  readonly actor: Caller;
  readonly tier: Tier;
}

/**
 * The sent attributes under their present names, without those that the sender may not set: an old name counts where its
 * successor is not sent. `attributesOfRow`: what the project has of stored ones.
 */
export function sentAttributes(values: AttributeValues, attributesOfRow: string, sender: Sender): AttributeValues {
  const now = storedAttributes({ attributes: attributesOfRow });
  const sent: Record<string, unknown> = {};
  for (const [name, attribute] of attributeEntries) {
    const value = sentValue(attribute, values[name]);
    if (value === undefined || !maySet(sender, attribute)) continue;
    const { means } = attribute;
    if (means === undefined) sent[name] = value;
    else if (values[means.name as AttributeName] == null) sent[means.name] = means.value(value as never, now);
  }
  return sent;
}

function sentValue({ clearable, resettable, home, means, fallback }: Attribute, value: unknown): unknown {
  if (clearable && home === 'stored' && value === '') return null;
  if (value !== null || clearable || home === 'guard') return value;
  if (!resettable) return undefined;
  return means === undefined ? fallback : false;
}

function maySet({ actor, tier }: Sender, { administrators, premium }: Attribute): boolean {
  return (!administrators || isAdministrator(actor)) && (!premium || tier !== 'free');
}

/** What is wrong with the values that were sent, each by itself. */
export function attributeErrors(sent: AttributeValues): FieldErrors {
  const errors = Object.entries(sent).map(([name, value]) => {
    const attribute: Attribute = attributes[name as AttributeName];
    if (attribute.home === 'guard') return guardErrors(name, value);
    return value == null ? {} : (attribute.errors?.(value as never) ?? {});
  });
  return Object.assign({}, ...errors);
}
