/**
 * Numbers of tasks that are checked at once: 0.04 to 1.5 ms at any size (`npm run bench -- reads`), so that no key
 * waits longer.
 */
export const SPAN = 2000

export type Find = (
  where: string,
  from: number,
) => Promise<{ readonly ids: readonly number[]; readonly next: number | null }>

/** The matches of one filter so far, and whether the whole board was searched. */
interface Pieces {
  readonly where: () => string
  readonly pieces: () => readonly (readonly number[])[]
  readonly isComplete: () => boolean
  readonly begin: (where: string) => void
  /** True where the piece says something new. */
  readonly look: (index: number) => Promise<boolean>
}

export const makePieces = (find: Find, changed: () => void): Pieces => {
  let where = ''
  let pieces: (readonly number[])[] = []
  let complete = false
  return {
    where: () => where,
    pieces: () => pieces,
    isComplete: () => complete,
    begin: (asked) => ([where, pieces, complete] = [asked, [], false]),
    look: async (index) => {
      const asked = where
      const { ids, next } = await find(asked, index * SPAN + 1)
      if (asked !== where) return false
      const old = pieces[index]
      const isNew = old?.length !== ids.length || ids.some((id, at) => id !== old[at])
      if (isNew) pieces[index] = ids
      if (next === null) {
        pieces.length = index + 1
        complete = true
      } else if (index === pieces.length - 1) complete = false
      if (isNew) changed()
      return isNew
    },
  }
}
