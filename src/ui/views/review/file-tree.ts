import type { Line } from '../../../../components/Lines.tsx'
import { riskLooks } from '../../../../components/base/look.ts'
import type { Review, ReviewFile } from '../../../contracts/review.ts'
import { alike } from '../../../domain/integration/risk.ts'
import { someOf } from '../../../domain/words/counts.ts'
import { ours } from '../../../domain/words/safe-text.ts'
import { fileText, reviewText } from '../../../text/integration.ts'
import type { ViewedFiles } from '../../core/console-memory.ts'
import { heading } from '../../rows/lines.ts'
import { nameOf, pieces, reasonLines, sizeOf } from './document.ts'
import { markOf, type ViewedMark } from './state.ts'

// The files of a review as a tree of folders, with their marks.

/** Files without a risk that are listed nevertheless; the diff below contains all of them. */
const UNMARKED = 30

/** Columns before a name: the mark of a read file, the mark of a risk, the numbers. */
const LEAD = 18

type TreeLine = Line & { readonly file?: number }

export const fileTree = ({ files }: Review, viewed: ViewedFiles, width: number): readonly TreeLine[] => {
  const groups = alike(files)
  const grouped = new Set(groups.flat())
  const numbers = files.map((_, n) => n).filter((n) => !grouped.has(n) && (files[n]!.risks.length > 0 || n < UNMARKED))
  return [
    ...heading(reviewText.files(files.length)),
    ...linesIn(treeOf(files, numbers), 0, files, viewed, width),
    ...groups.flatMap((group) => groupLines(files, group, width)),
    ...(numbers.length + grouped.size < files.length
      ? [{ text: ours(reviewText.unmarked(files.length - numbers.length - grouped.size)), dim: true }]
      : []),
  ]
}

/** Names that stand for a group. */
const NAMED = 3

const groupLines = (files: readonly ReviewFile[], group: readonly number[], width: number): readonly TreeLine[] => {
  const first = files[group[0]!]!
  const words = reviewText.alike(
    group.length,
    someOf(
      group.map((number) => nameOf(files[number]!.path)),
      NAMED,
    ),
  )
  const signs = `  ${riskLooks[first.risks[0]!.kind].mark} `
  const looks = { file: group[0]!, bold: true }
  return [
    ...pieces(words, Math.max(10, width - signs.length)).map((text, n): TreeLine => ({
      ...looks,
      text: ours(`${n === 0 ? signs : ' '.repeat(signs.length)}${text}`),
    })),
    ...reasonLines(first, width, signs.length).map((line) => ({ ...line, file: group[0]! })),
  ]
}

interface Folder {
  readonly folders: Map<string, Folder>
  readonly files: { readonly name: string; readonly number: number }[]
}

const emptyFolder = (): Folder => ({ folders: new Map(), files: [] })

const treeOf = (files: readonly ReviewFile[], numbers: readonly number[]): Folder => {
  const root = emptyFolder()
  for (const number of numbers) {
    const parts = files[number]!.path.split('/')
    const name = parts.pop()!
    let folder = root
    for (const part of parts) {
      const next = folder.folders.get(part) ?? emptyFolder()
      folder.folders.set(part, next)
      folder = next
    }
    folder.files.push({ name, number })
  }
  return root
}

const linesIn = (
  folder: Folder,
  depth: number,
  files: readonly ReviewFile[],
  viewed: ViewedFiles,
  width: number,
): readonly TreeLine[] => [
  ...[...folder.folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, inside]): readonly TreeLine[] => {
      const { path, end } = straight(name, inside)
      const [only] = end.files
      if (end.folders.size === 0 && end.files.length === 1 && only)
        return fileLines(files[only.number]!, `${path}/${only.name}`, only.number, depth, viewed, width)
      return [
        ...pieces(nameOf(`${path}/`), roomAt(depth, width)).map((text): TreeLine => ({
          text: ours(`${' '.repeat(LEAD + 2 * depth)}${text}`),
          dim: true,
        })),
        ...linesIn(end, depth + 1, files, viewed, width),
      ]
    }),
  ...folder.files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, number }) => fileLines(files[number]!, name, number, depth, viewed, width)),
]

/** A folder, and those that contain nothing but the next one, as one path. */
const straight = (name: string, folder: Folder): { readonly path: string; readonly end: Folder } => {
  let [path, end] = [name, folder]
  while (end.files.length === 0 && end.folders.size === 1) {
    const [[next, inside]] = [...end.folders] as [[string, Folder]]
    path = `${path}/${next}`
    end = inside
  }
  return { path, end }
}

const roomAt = (depth: number, width: number): number => Math.max(10, width - LEAD - 2 * depth)

const viewedSigns: Record<ViewedMark, string> = { viewed: '✓', changed: '↻', unread: ' ' }

const fileLines = (
  file: ReviewFile,
  name: string,
  number: number,
  depth: number,
  viewed: ViewedFiles,
  width: number,
): readonly TreeLine[] => {
  const mark = markOf(viewed, file)
  const [risk] = file.risks
  const signs = `${viewedSigns[mark]} ${risk ? riskLooks[risk.kind].mark : ' '} `
  const indent = ' '.repeat(2 * depth)
  const words = file.isUncommitted ? `${nameOf(name)}  (${fileText.notCommitted})` : nameOf(name)
  const [first = ours(''), ...rest] = pieces(words, roomAt(depth, width))
  const looks: Omit<TreeLine, 'text'> = {
    file: number,
    ...(mark === 'viewed' ? { dim: true } : file.risks.length > 0 ? { bold: true } : {}),
  }
  return [
    { ...looks, text: ours(`${signs}${countsOf(file)}${indent}${first}`) },
    ...rest.map((text) => ({ ...looks, text: ours(`${' '.repeat(LEAD)}${indent}${text}`) })),
    ...(mark === 'viewed' ? [] : reasonLines(file, width, LEAD + 2 * depth).map((line) => ({ ...line, file: number }))),
  ]
}

const countsOf = (file: ReviewFile): string =>
  file.added === null
    ? `${sizeOf(file).split(',')[0]!.padStart(13)} `
    : `${`+${file.added}`.padStart(6)} ${`−${file.removed}`.padEnd(6)} `
