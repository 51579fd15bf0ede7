import { changedScripts, type ScriptChange } from '../domain/package-scripts.ts'
import type { FileFacts } from '../domain/risk.ts'
import { hiddenPlaces } from '../domain/safe-text.ts'
import { looksSecret, secretTraces } from '../domain/secrets.ts'
import { type DiffIndex, kindOf } from '../domain/unified-diff.ts'
import type { ListedFile } from './changed-files.ts'
import { git } from './git.ts'

// What is found in the lines of a changed file, and in both versions of it where its name asks for that.

/** Most findings that are told of one file, and characters round a trace of a secret that are looked at. */
const FINDINGS = 20
const HIDDEN = 1000
const ROUND = 200

/** Numbers of the added lines that look like a secret. */
export const secretLines = (index: DiffIndex): readonly number[] => {
  const found = new Set<number>()
  for (const place of secretTraces(index.text)) {
    const line = lineAt(index, place)
    if (line === -1 || kindOf(index, line) !== 'added' || found.has(index.numbers[line]!)) continue
    const [start, end] = [index.starts[line]! + 1, index.ends[line]!]
    if (looksSecret(index.text.slice(Math.max(start, place - ROUND), Math.min(end, place + 2 * ROUND)))) found.add(index.numbers[line]!)
    if (found.size >= FINDINGS) break
  }
  return [...found]
}

/** Characters of added lines that have to be spelt out to be seen. */
export const hiddenCharacters = (index: DiffIndex): number =>
  hiddenPlaces(index.text, HIDDEN).filter((place) => {
    const line = lineAt(index, place)
    return line !== -1 && kindOf(index, line) === 'added'
  }).length

/** A file that Git LFS keeps elsewhere: three short lines, of which the first says so. */
export const isPointer = ({ text }: DiffIndex): boolean => /^[+ ]version https:\/\/git-lfs\.github\.com\/spec\//m.test(text.slice(0, 2000))

/** Largest package.json that is read (bytes). */
const PACKAGE = 1024 * 1024

/** What a package.json runs otherwise than before; nothing for any other file. */
export const scriptsOf = async (root: string, file: ListedFile): Promise<readonly ScriptChange[] | undefined> => {
  if (!/(^|\/)package\.json$/i.test(file.path)) return []
  if (file.size > PACKAGE || [file.oldMode, file.newMode].some((mode) => mode === '120000' || mode === '160000')) return undefined
  return changedScripts(await contentIn(root, file.oldMode, file.oldOid), await contentIn(root, file.newMode, file.newOid))
}

/** Largest content of which it is asked whether it is text after all (bytes). */
const PROBED = 1024 * 1024

/** True where git calls it binary, and most of it can be read nevertheless: its attributes say so, or a few NULs were put in. */
export const isTextAfterAll = async (root: string, file: ListedFile): Promise<boolean> => {
  if (file.size > PROBED) return false
  const content = (await contentIn(root, file.newMode, file.newOid)) ?? (await contentIn(root, file.oldMode, file.oldOid)) ?? ''
  const strange = content.match(unreadable)?.length ?? 0
  return content !== '' && strange <= content.length / 100
}

// What texts do not hold: control characters but tabs, line ends and escapes, and bytes that are no UTF-8.
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const unreadable = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g

const contentIn = async (root: string, mode: string, oid: string): Promise<string | null> => (mode === '000000' || mode === '160000' ? null : git(root, ['cat-file', 'blob', oid]))

/** The line that a place of the text belongs to; -1 before the first. */
const lineAt = ({ starts }: DiffIndex, place: number): number => {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= place) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** What the file's name and its lines say of it, without what else was found. */
export const factsOf = (file: ListedFile, diff: DiffIndex | null, rest: Pick<FileFacts, 'content' | 'forced' | 'scripts' | 'elsewhere'>): FileFacts => ({
  ...file,
  ...rest,
  secrets: diff ? secretLines(diff) : [],
  hidden: diff ? hiddenCharacters(diff) : 0,
  pointer: diff !== null && isPointer(diff),
})
