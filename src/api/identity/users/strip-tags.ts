/** A tag of HTML, or a comment or declaration; the search for its end stops where another begins. */
const TAG = /<[a-z/!?][^<>]*>/gi;

/** The text without tags of HTML, also without those that only come to be when others have gone. */
export function withoutTags(text: string): string {
  const less = text.replace(TAG, '');
  return less === text ? text : withoutTags(less);
}
