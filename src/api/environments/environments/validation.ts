import type { AutoStopSetting, EnvironmentTier } from '#database/tables/environments.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import { externalUrlErrors } from '../environment-model/index.ts';

/** What is wrong with what is said of an environment. Pure. */

export interface Wish {
  readonly external_url?: string | null | undefined;
  readonly tier?: EnvironmentTier | null | undefined;
  readonly description?: string | null | undefined;
  readonly auto_stop_setting?: AutoStopSetting | null | undefined;
  readonly cluster_agent_id?: number | null | undefined;
  readonly kubernetes_namespace?: string | null | undefined;
  readonly flux_resource_path?: string | null | undefined;
}

const LONGEST_DESCRIPTION = 10_000;

/** Of everything but name and slug. There are no cluster agents here, so that nothing can be said of what they do. */
export function wishErrors({ external_url, description, kubernetes_namespace, flux_resource_path }: Wish): FieldErrors {
  const isLong = [...(description ?? '')].length > LONGEST_DESCRIPTION;
  return {
    external_url: external_url ? externalUrlErrors(external_url) : [],
    description: isLong ? [`is too long (maximum is ${LONGEST_DESCRIPTION} characters)`] : [],
    kubernetes_namespace: kubernetes_namespace ? ['cannot be set without a cluster agent'] : [],
    flux_resource_path:
      flux_resource_path && !kubernetes_namespace ? ['cannot be set without a kubernetes namespace'] : [],
  };
}

/** The same as sentences: `Name can't be blank`. */
export function sentences(errors: FieldErrors): string[] {
  return Object.entries(errors).flatMap(([field, texts]) => {
    const words = field.replaceAll('_', ' ');
    const subject = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
    return texts.map((text) => `${subject} ${text}`);
  });
}
