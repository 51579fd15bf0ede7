// The text of pg_current_snapshot(): `xmin:xmax:xid,xid…`, the transactions below xmax that are not in the list have ended.

interface Snapshot {
  /** The lowest transaction that was still open. */
  readonly xmin: bigint
  /** One past the highest transaction that had ended. */
  readonly xmax: bigint
  /** The numbers of those below it that were still open. */
  readonly open: ReadonlySet<string>
}

/** More transactions than so many are not looked at one by one. */
const MANY = 10_000n

/** True if a transaction that is not one of `own` has ended between two snapshots of a server. */
export const othersEnded = (before: string, now: string, own: ReadonlySet<string>): boolean => {
  const [was, is] = [snapshotOf(before), snapshotOf(now)]
  // A server that was restored counts from an earlier number.
  if (is.xmax < was.xmax || is.xmax - was.xmax > MANY) return true
  const isOfOthers = (xid: string): boolean => !is.open.has(xid) && !own.has(xid)
  if ([...was.open].some(isOfOthers)) return true
  for (let xid = was.xmax; xid < is.xmax; xid++) if (isOfOthers(String(xid))) return true
  return false
}

/** Those of `own` that may still end after the snapshot. */
export const stillOpen = (now: string, own: ReadonlySet<string>): Set<string> => {
  const { xmin } = snapshotOf(now)
  return new Set([...own].filter((xid) => BigInt(xid) >= xmin))
}

const snapshotOf = (text: string): Snapshot => {
  const [xmin = '0', xmax = '0', open = ''] = text.split(':')
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), open: new Set(open === '' ? [] : open.split(',')) }
}
