/** Records with so many followers each, of equals in the order of their slots. */
import { FollowersRank } from '../../../src/directory/search/followers-rank.ts'

/** @param counts by slot @param slots those that have a record */
export function followersOf(
  counts: Float64Array<ArrayBuffer>,
  slots: Iterable<number> = counts.keys(),
): FollowersRank {
  const compare = (a: number, b: number) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b
  const order = Uint32Array.from(slots).sort(compare)
  return new FollowersRank({ slots: () => order, compare }, counts)
}

/** So many records, which nobody follows. */
export const unfollowed = (records: number) => followersOf(new Float64Array(records))
