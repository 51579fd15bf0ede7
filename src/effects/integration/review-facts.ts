import { changedScripts, type FileFacts, type ScriptChange } from '../../domain/integration/file-risks.ts'
import { hiddenPlaces } from '../../domain/words/safe-text.ts'
import { looksSecret, secretTraces } from '../../domain/words/secrets.ts'
import { type DiffIndex, kindOf } from '../../domain/words/unified-diff.ts'
import { gitIn, type ListedFile, type ObjectStore } from '../git/diff.ts'

// Finds facts in the lines of a changed file and, for some names, in both of its versions.

/**
 * The most findings reported for one file, and the number of characters around a trace of a secret that are searched.
 */
const FINDINGS = 20
const HIDDEN = 1000
const ROUND = 200

/** The numbers of added lines that look like a secret. */
const secretLines = (index: DiffIndex): readonly number[] => {
  const found = new Set<number>()
  const { text, placeOf } = addedTo(index)
  for (const trace of secretTraces(text)) {
    const place = placeOf(trace)
    const line = lineAt(index, place)
    if (found.has(index.numbers[line]!)) continue
    const [start, end] = [index.starts[line]! + 1, index.ends[line]!]
    if (looksSecret(index.text.slice(Math.max(start, place - ROUND), Math.min(end, place + 2 * ROUND))))
      found.add(index.numbers[line]!)
    if (found.size >= FINDINGS) break
  }
  return [...found]
}

/** The added lines alone, and where a position in them is in the diff: a search of all lines takes several times as long. */
const addedTo = (index: DiffIndex): { readonly text: string; readonly placeOf: (at: number) => number } => {
  const runs: string[] = []
  // Where each run begins among the added lines, and in the diff.
  const [offsets, places]: [number[], number[]] = [[], []]
  let length = 0
  for (let line = 0; line < index.count; line++) {
    if (kindOf(index, line) !== 'added') continue
    const start = index.starts[line]!
    while (line + 1 < index.count && kindOf(index, line + 1) === 'added') line++
    offsets.push(length)
    places.push(start)
    runs.push(index.text.slice(start, index.ends[line]))
    length += index.ends[line]! - start + 1
  }
  return {
    text: runs.join('\n'),
    placeOf: (at) => {
      const run = lastAtMost(offsets, at)
      return places[run]! + at - offsets[run]!
    },
  }
}

/** Counts characters in added lines that must be spelt out to be visible. */
const hiddenCharacters = (index: DiffIndex): number =>
  index.isPlain
    ? 0
    : hiddenPlaces(index.text, HIDDEN).filter((place) => {
        const line = lineAt(index, place)
        return line !== -1 && kindOf(index, line) === 'added'
      }).length

/** True for a pointer of Git LFS: three short lines, the first of which names it. */
const isPointer = ({ text }: DiffIndex): boolean =>
  /^[+ ]version https:\/\/git-lfs\.github\.com\/spec\//m.test(text.slice(0, 2000))

/** Largest package.json that is read (bytes). */
const PACKAGE = 1024 * 1024

/** The scripts of a package.json that changed; undefined for any other file. */
export const scriptsOf = async (store: ObjectStore, file: ListedFile): Promise<readonly ScriptChange[] | undefined> => {
  if (!/(^|\/)package\.json$/i.test(file.path)) return []
  if (file.size > PACKAGE || [file.oldMode, file.newMode].some((mode) => mode === '120000' || mode === '160000'))
    return undefined
  return changedScripts(
    await contentIn(store, file.oldMode, file.oldOid),
    await contentIn(store, file.newMode, file.newOid),
  )
}

/** The largest content that is checked for being text (bytes). */
const PROBED = 1024 * 1024

/**
 * True if git treats the file as binary although most of it is readable: its attributes say so, or it contains a few
 * NULs.
 */
export const isTextAfterAll = async (store: ObjectStore, file: ListedFile): Promise<boolean> => {
  if (file.size > PROBED) return false
  const content =
    (await contentIn(store, file.newMode, file.newOid)) ?? (await contentIn(store, file.oldMode, file.oldOid)) ?? ''
  const strange = content.match(unreadable)?.length ?? 0
  return content !== '' && strange <= content.length / 100
}

// Characters that text does not contain: control characters except tabs, line endings and escapes, and bytes that are
// not UTF-8.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unreadable = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g

const contentIn = async (store: ObjectStore, mode: string, oid: string): Promise<string | null> =>
  mode === '000000' || mode === '160000' ? null : gitIn(store, ['cat-file', 'blob', oid])

/** The number of the line that contains a position of the text; -1 before the first. */
const lineAt = ({ starts }: DiffIndex, place: number): number => lastAtMost(starts, place)

/** The place of the last of ascending numbers that is not above `most`; -1 if all are. */
const lastAtMost = (numbers: ArrayLike<number>, most: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! <= most) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Facts from the file's name and its lines, combined with `rest`. */
export const factsOf = (
  file: ListedFile,
  diff: DiffIndex | null,
  rest: Pick<FileFacts, 'content' | 'forced' | 'scripts' | 'elsewhere'>,
): FileFacts => ({
  ...file,
  ...rest,
  secrets: diff ? secretLines(diff) : [],
  hidden: diff ? hiddenCharacters(diff) : 0,
  pointer: diff !== null && isPointer(diff),
})
