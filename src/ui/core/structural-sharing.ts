/** True if two values of plain data are equal. */
export const same = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) => Object.hasOwn(b, key) && same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}

/** `next`, or the old object if it is equal: an unchanged row is not drawn again. */
export const keep = <T>(old: T, next: T): T => (same(old, next) ? old : next)

/** A list whose unchanged rows are the old objects; the old list itself if all of them are. */
export const keepRows = <T>(old: readonly T[], next: readonly T[], key: (row: T) => string | number): T[] => {
  const known = new Map(old.map((row) => [key(row), row]))
  const rows = next.map((row) => {
    const before = known.get(key(row))
    return before === undefined ? row : keep(before, row)
  })
  return rows.length === old.length && rows.every((row, index) => row === old[index]) ? (old as T[]) : rows
}

/** A record whose unchanged entries are the old objects. */
export const keepEntries = <T>(
  old: Readonly<Record<string, T>>,
  next: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> => {
  if (same(old, next)) return old
  return Object.fromEntries(
    Object.entries(next).map(([key, value]) => [key, old[key] === undefined ? value : keep(old[key], value)]),
  )
}
