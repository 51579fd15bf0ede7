import { importedPath, type Source } from './sources.ts'

/** Exceptions from a rule, each with its reason. An exception that is no longer needed fails the test, so that the list shrinks. */
export interface ImportException {
  /** The file that imports, or its folder followed by a slash. */
  readonly from: string
  /** The file that is imported, or its folder followed by a slash. */
  readonly to: string
  readonly because: string
}

/**
 * The line of folders inside one layer, lowest first: a folder imports values only from those that its row names, and a row
 * names only folders above it in the table. `.` is the layer's own folder, and `views/*` each folder inside `views`, none of
 * which may import another. A folder without a row belongs to the nearest one around it.
 */
export interface FolderTable {
  /** `src/ui`, or another folder that is a layer. */
  readonly layer: string
  readonly folders: Readonly<Record<string, readonly string[]>>
  /** Value imports against the line. */
  readonly exceptions?: readonly ImportException[]
  /** Type imports that close a circle of files. */
  readonly typeCircles?: readonly ImportException[]
}

export interface Arrow {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

/** The imports between the files of one layer. */
export const arrowsOf = (layer: string, sources: readonly Source[]): readonly Arrow[] =>
  inLayer(layer, sources).flatMap(({ path, imports }) =>
    imports
      .filter(({ of }) => of.startsWith('.'))
      .map(({ of, typeOnly }) => ({ from: path, to: importedPath(path, of), typeOnly }))
      .filter(({ to }) => to.startsWith(`${layer}/`)),
  )

const inLayer = (layer: string, sources: readonly Source[]): readonly Source[] =>
  sources.filter(({ path }) => path.startsWith(`${layer}/`))

/** The row and the folder of a file: `views/*` and `views/radar`. */
const roomOf = (
  { layer, folders }: FolderTable,
  path: string,
): { readonly row: string; readonly folder: string } | undefined => {
  for (
    let parts = path
      .slice(layer.length + 1)
      .split('/')
      .slice(0, -1);
    parts.length > 0;
    parts = parts.slice(0, -1)
  ) {
    const folder = parts.join('/')
    const each = [...parts.slice(0, -1), '*'].join('/')
    if (folders[folder]) return { row: folder, folder }
    if (folders[each]) return { row: each, folder }
  }
  return folders['.'] ? { row: '.', folder: '.' } : undefined
}

/** Files whose folder has no row. */
export const withoutRow = (table: FolderTable, sources: readonly Source[]): readonly string[] =>
  inLayer(table.layer, sources).flatMap(({ path }) => (roomOf(table, path) ? [] : [path]))

/** Rows that name a folder which is not above them, so that the rows form no line. */
export const backwardRows = ({ folders }: FolderTable): readonly string[] => {
  const order = Object.keys(folders)
  return order.flatMap((row, at) =>
    folders[row]!.filter((other) => !order.slice(0, at).includes(other)).map((other) => `${row} names ${other}`),
  )
}

/** Value imports that the table does not allow. */
export const againstLine = (table: FolderTable, sources: readonly Source[]): readonly Arrow[] =>
  arrowsOf(table.layer, sources).filter(({ from, to, typeOnly }) => {
    const [mine, other] = [roomOf(table, from), roomOf(table, to)]
    return (
      !typeOnly &&
      mine !== undefined &&
      other !== undefined &&
      mine.folder !== other.folder &&
      !table.folders[mine.row]!.includes(other.row)
    )
  })

/** Permissions of the table that no value import uses. */
export const unusedRows = (table: FolderTable, sources: readonly Source[]): readonly string[] => {
  const used = new Set(
    arrowsOf(table.layer, sources)
      .filter(({ typeOnly }) => !typeOnly)
      .map(({ from, to }) => `${roomOf(table, from)?.row} names ${roomOf(table, to)?.row}`),
  )
  return Object.entries(table.folders).flatMap(([row, others]) =>
    others.map((other) => `${row} names ${other}`).filter((name) => !used.has(name)),
  )
}

export const isExcepted = (
  { from, to }: Pick<Arrow, 'from' | 'to'>,
  exceptions: readonly ImportException[] = [],
): boolean => exceptions.some((one) => names(one.from, from) && names(one.to, to))

const names = (named: string, path: string): boolean => (named.endsWith('/') ? path.startsWith(named) : path === named)

/** Exceptions that nothing needs any more. */
export const unneeded = (exceptions: readonly ImportException[] = [], needed: readonly Arrow[]): readonly string[] =>
  exceptions.filter((one) => !needed.some((arrow) => isExcepted(arrow, [one]))).map(({ from, to }) => `${from} → ${to}`)

/** Groups of files each of which reaches every other one. */
export const circles = (arrows: readonly Pick<Arrow, 'from' | 'to'>[]): readonly (readonly string[])[] => {
  const next = new Map<string, string[]>()
  for (const { from, to } of arrows) next.set(from, [...(next.get(from) ?? []), to])
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.get(file)!)
    stack.push(file)
    for (const other of next.get(file) ?? []) {
      if (!index.has(other)) visit(other)
      if (stack.includes(other)) low.set(file, Math.min(low.get(file)!, low.get(other)!))
    }
    if (low.get(file) !== index.get(file)) return
    const group = stack.splice(stack.indexOf(file))
    if (group.length > 1) found.push(group.sort())
  }
  for (const file of next.keys()) if (!index.has(file)) visit(file)
  return found
}
