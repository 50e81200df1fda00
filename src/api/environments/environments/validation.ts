import type { AutoStopSetting, EnvironmentTier } from '#database/schema.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import { validateExternalUrl } from '../environment-model/index.ts';

// Validation of environments. Pure.

export interface EnvironmentInput {
  readonly external_url?: string | null | undefined;
  readonly tier?: EnvironmentTier | null | undefined;
  readonly description?: string | null | undefined;
  readonly auto_stop_setting?: AutoStopSetting | null | undefined;
  readonly cluster_agent_id?: number | null | undefined;
  readonly kubernetes_namespace?: string | null | undefined;
  readonly flux_resource_path?: string | null | undefined;
}

const MAX_DESCRIPTION_LENGTH = 10_000;

/** Returns the validation errors by field, except for name and slug. Cluster agents are not supported, so their fields are rejected. */
export function validateEnvironment({
  external_url,
  description,
  kubernetes_namespace,
  flux_resource_path,
}: EnvironmentInput): FieldErrors {
  const isTooLong = [...(description ?? '')].length > MAX_DESCRIPTION_LENGTH;
  return {
    external_url: external_url ? validateExternalUrl(external_url) : [],
    description: isTooLong ? [`is too long (maximum is ${MAX_DESCRIPTION_LENGTH} characters)`] : [],
    kubernetes_namespace: kubernetes_namespace ? ['cannot be set without a cluster agent'] : [],
    flux_resource_path:
      flux_resource_path && !kubernetes_namespace ? ['cannot be set without a kubernetes namespace'] : [],
  };
}

/** Formats field errors as sentences: `Name can't be blank`. */
export function toSentences(errors: FieldErrors): string[] {
  return Object.entries(errors).flatMap(([field, messages]) => {
    const words = field.replaceAll('_', ' ');
    const subject = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
    return messages.map((message) => `${subject} ${message}`);
  });
}
