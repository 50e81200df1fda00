import { Type } from 'typebox';
import { Diff } from '#api/code/commits/index.ts';
import type { MergeRequest as MergeRequestOfCaller } from '#authorization/merge-requests.ts';
import type { Diff as GitDiff } from '#git/diff/diff.ts';
import { entity } from '#http/endpoint/entity.ts';
import { MergeRequest } from '../entities.ts';
import { isTruncated } from '../versions/versions.ts';

export const MergeRef = entity('MergeRef', { commit_id: Type.String() });

interface MergeRequestWithDiff {
  readonly mergeRequest: MergeRequestOfCaller;
  readonly diff: GitDiff;
}

/** A merge request with the diffs of its files. */
export const MergeRequestChanges = entity('MergeRequestChanges', {
  ...MergeRequest.schema.properties,
  changes: Type.Array(Diff.schema),
  overflow: Type.Boolean(),
}).from(
  async (rows: readonly MergeRequestWithDiff[], context) => {
    const mergeRequestJsons = await MergeRequest.serializeAll(
      rows.map(({ mergeRequest }) => mergeRequest),
      context,
    );
    return new Map(mergeRequestJsons.map((mergeRequestJson) => [mergeRequestJson.id, mergeRequestJson]));
  },
  ({ mergeRequest, diff }, context, mergeRequestJsonById) => ({
    ...mergeRequestJsonById.get(mergeRequest.id)!,
    changes: diff.files.map((file) => Diff.serialize(file, context)),
    overflow: isTruncated(diff),
  }),
);
