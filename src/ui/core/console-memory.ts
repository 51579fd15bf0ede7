// The saved state of a console for the next one, from a file that a person may have edited.

interface SavedFilter {
  readonly name: string
  readonly filter: string
}

/** A command with its values, by the keys of its words. */
export interface KeptCommand {
  readonly path: string
  readonly values: Readonly<Record<string, string>>
}

/** The contents of files that were read, by their paths. */
export type ViewedFiles = Readonly<Record<string, string>>

export interface Kept {
  readonly filters: readonly SavedFilter[]
  /** Commands run from the palette, newest first. */
  readonly commands: readonly KeptCommand[]
  /** The values of the last task that was created with the form. */
  readonly task: Readonly<Record<string, string>>
  /** The files of each worktree's diff that the person has read. */
  readonly viewed: Readonly<Record<string, ViewedFiles>>
}

export const nothingKept: Kept = { filters: [], commands: [], task: {}, viewed: {} }

/** The number of saved commands. */
const MOST = 50

export const keptOf = (read: Readonly<Record<string, unknown>>): Kept => ({
  filters: listOf(read['filters']).filter(
    (one): one is SavedFilter => isRecord(one) && typeof one['name'] === 'string' && typeof one['filter'] === 'string',
  ),
  commands: listOf(read['commands'])
    .filter(
      (one): one is KeptCommand =>
        isRecord(one) &&
        typeof one['path'] === 'string' &&
        isRecord(one['values']) &&
        Object.values(one['values']).every((value) => typeof value === 'string'),
    )
    .slice(0, MOST),
  task: textsOf(read['task']),
  viewed: isRecord(read['viewed'])
    ? Object.fromEntries(Object.entries(read['viewed']).map(([worktree, files]) => [worktree, textsOf(files)]))
    : {},
})

export const withFilter =
  ({ name, filter }: SavedFilter) =>
  ({ filters }: Kept): Partial<Kept> => ({
    filters: [...filters.filter((one) => one.name !== name), { name, filter }].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
  })

export const withoutFilter =
  (name: string) =>
  ({ filters }: Kept): Partial<Kept> => ({ filters: filters.filter((one) => one.name !== name) })

/** Adds a command at the head of the list; an equal one is removed. */
export const withCommand =
  (command: KeptCommand) =>
  ({ commands }: Kept): Partial<Kept> => ({
    commands: [command, ...commands.filter((one) => JSON.stringify(one) !== JSON.stringify(command))].slice(0, MOST),
  })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
