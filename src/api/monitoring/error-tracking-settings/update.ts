import { isErrorTrackingEnabled } from '#domain/error-tracking.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ensureActiveKey } from '../client-keys/index.ts';
import { type SettingsRow, saveSettings } from './store.ts';

/**
 * Sets whether a project takes reports. Active without the integrated backend would need another one, which there is not;
 * with it there is a key to report with from now on (contract/monitoring.md §9).
 */
export async function save(uow: UnitOfWork, settings: SettingsRow): Promise<SettingsRow | Failure<'noOtherBackend'>> {
  const { project_id: projectId, active, integrated } = settings;
  const isIntegrated = integrated && (await isErrorTrackingEnabled(uow, { projectId, tier: uow.tier }));
  if (active && !isIntegrated) return fail('noOtherBackend');
  if (active) await ensureActiveKey(uow, projectId);
  return saveSettings(uow, settings);
}
