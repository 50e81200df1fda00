import type { Services } from '#http/services.ts';
import type { RequirePushableBranch } from '#repositories/branches/push-permission.ts';
import { type CommitToBranchFailure, commitToBranch } from '#repositories/commits/commit-to-branch.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { type CommitFields, type FieldFailure, parseWriteFields, writeParams } from './commit-fields.ts';
import { type BodyCall, type BodyFailure, readDeferredBody } from './deferred-body.ts';
import type { WrittenFile } from './entities.ts';

type FileWriteServices = Pick<Services, 'database' | 'blobs' | 'git' | 'runUnitOfWork'>;

interface WriteCall extends BodyCall {
  readonly params: { readonly file_path: string };
  readonly requirePushableBranch: RequirePushableBranch;
}

type WriteFailure = 'notAllowed' | CommitToBranchFailure;

/** Creates one commit that writes one file. Errors take precedence in the order of contract/repository.md §1. */
export async function writeFile(
  call: WriteCall,
  action: 'create' | 'update',
  services: FileWriteServices,
): Promise<WrittenFile | Failure<BodyFailure | FieldFailure | WriteFailure>> {
  await using body = await readDeferredBody(call, services, writeParams);
  if (isFailure(body.parameters)) return body.parameters;
  const fields = await parseWriteFields(body.parameters);
  if (isFailure(fields)) return fields;
  const branch = await call.requirePushableBranch(fields.branch);
  if (isFailure(branch)) return branch;
  const path = call.params.file_path;
  const { content, executable } = fields;
  // A new file has no last commit.
  const lastCommitId = action === 'create' ? undefined : fields.lastCommitId;
  const commitId = await commitToBranch(services, branch, {
    ...fields,
    changes: [{ action, path, content, executable, lastCommitId }],
  });
  return isFailure(commitId) ? commitId : { file_path: path, branch: branch.name };
}

/** Creates one commit that deletes a file. */
export async function deleteFile(
  { requirePushableBranch, path }: { readonly requirePushableBranch: RequirePushableBranch; readonly path: string },
  { lastCommitId, ...fields }: CommitFields,
  services: FileWriteServices,
): Promise<undefined | Failure<WriteFailure>> {
  const branch = await requirePushableBranch(fields.branch);
  if (isFailure(branch)) return branch;
  const commitId = await commitToBranch(services, branch, {
    ...fields,
    changes: [{ action: 'delete', path, lastCommitId }],
  });
  return isFailure(commitId) ? commitId : undefined;
}
