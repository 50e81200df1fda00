import { trimmedEnd } from '#text/trim.ts';
import type { Git } from '../git.ts';
import { writeObject } from '../objects/loose-objects.ts';
import type { ObjectType } from '../objects/object-parser.ts';
import type { Repository } from '../repository.ts';
import { formatSigner, type Signer } from './commit.ts';

interface NewTag {
  /** Without `refs/tags/`; valid. */
  readonly name: string;
  readonly targetId: string;
  readonly targetType: ObjectType;
  readonly tagger: Signer;
  readonly message: string;
}

/** Writes the object of an annotated tag, which ends with a line end. Durable when it returns; moves no ref; gives its id. */
export async function writeTag(git: Git, repository: Repository, tag: NewTag): Promise<string> {
  const lines = [
    `object ${tag.targetId}`,
    `type ${tag.targetType}`,
    `tag ${tag.name}`,
    `tagger ${formatSigner(git, tag.tagger)}`,
    '',
    `${trimmedEnd(tag.message.replaceAll('\0', ''), '\n')}\n`,
  ];
  return writeObject(git, repository, 'tag', Buffer.from(lines.join('\n'), 'utf8'));
}
