import type { Services } from '#http/services.ts';
import { decrypt } from '#security/encryption.ts';
import { PIPELINE_VARIABLE } from '../processing/index.ts';
import { listEncryptedVariables } from './store.ts';

/** Loads and decrypts the variables of a pipeline. */
export async function loadPipelineVariables(
  { database, secretKey }: Pick<Services, 'database' | 'secretKey'>,
  pipelineId: number,
) {
  const rows = await listEncryptedVariables(database.reader, pipelineId);
  const decryptionKey = await secretKey();
  return rows.map((row) => ({ ...row, value: decrypt(decryptionKey, row.value, PIPELINE_VARIABLE) }));
}
