import { isErrorTrackingEnabled } from '#domain/error-tracking.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ensureActiveKey } from '../client-keys/index.ts';
import { type SettingsRow, saveSettings } from './store.ts';

/**
 * Saves the settings of a project. Active settings require the integrated backend, because Hearth supports no other one.
 * Creates a client key if the project has no active key (contract/monitoring.md §9).
 */
export async function updateSettings(
  uow: UnitOfWork,
  settings: SettingsRow,
): Promise<SettingsRow | Failure<'externalBackendUnsupported'>> {
  const { project_id: projectId, active, integrated } = settings;
  const isIntegrated = integrated && (await isErrorTrackingEnabled(uow, { projectId, tier: uow.tier }));
  if (active && !isIntegrated) return fail('externalBackendUnsupported');
  if (active) await ensureActiveKey(uow, projectId);
  return saveSettings(uow, settings);
}
