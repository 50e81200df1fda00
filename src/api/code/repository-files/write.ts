import type { Services } from '#http/services.ts';
import type { OpenBranchQuestion } from '#repositories/branches/push-permission.ts';
import { type CommitToBranchFailure, commitToBranch } from '#repositories/commits/commit-to-branch.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { type CommitFields, type FieldFailure, readFields, writeParams } from './commit-fields.ts';
import { type BodyCall, type BodyFailure, lateBody } from './deferred-body.ts';
import type { WrittenFile } from './entities.ts';

interface WriteCall extends BodyCall {
  readonly params: { readonly file_path: string };
  readonly openBranch: OpenBranchQuestion;
}

type WriteFailure = 'notAllowed' | CommitToBranchFailure;

/** One commit with one file as the body has it, which is read and checked in the contract's order. */
export async function writeFile(
  call: WriteCall,
  action: 'create' | 'update',
  services: Services,
): Promise<WrittenFile | Failure<BodyFailure | FieldFailure | WriteFailure>> {
  await using body = await lateBody(call, services, writeParams);
  if (isFailure(body.given)) return body.given;
  const fields = await readFields(body.given);
  if (isFailure(fields)) return fields;
  const branch = await call.openBranch(fields.branch);
  if (isFailure(branch)) return branch;
  const path = call.params.file_path;
  const { content, executable } = fields;
  // Whoever creates a file knows nothing of one.
  const lastCommitId = action === 'create' ? undefined : fields.lastCommitId;
  const made = await commitToBranch(services, branch, {
    ...fields,
    changes: [{ action, path, content, executable, lastCommitId }],
  });
  return isFailure(made) ? made : { file_path: path, branch: branch.name };
}

/** One commit without a file that was there. */
export async function deleteFile(
  { openBranch, path }: { readonly openBranch: OpenBranchQuestion; readonly path: string },
  { lastCommitId, ...fields }: CommitFields,
  services: Services,
): Promise<undefined | Failure<WriteFailure>> {
  const branch = await openBranch(fields.branch);
  if (isFailure(branch)) return branch;
  const made = await commitToBranch(services, branch, {
    ...fields,
    changes: [{ action: 'delete', path, lastCommitId }],
  });
  return isFailure(made) ? made : undefined;
}
