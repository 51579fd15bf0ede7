import type { Command } from '../call/command.ts'
import type { Named, Word } from '../call/words.ts'

/** The possible words after one path of the command line (`''`, `task`, `task add`). */
export interface Level {
  readonly path: string
  readonly next: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly Offer[]
  /** The sort of things that each argument names; the last one is repeated if `repeats`. */
  readonly names: readonly (Named | null)[]
  readonly repeats: boolean
}

export interface Offer {
  readonly name: string
  readonly description: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
  readonly names: Named | null
}

export const levelsOf = (commands: readonly Command[], nouns: Readonly<Record<string, string>>): readonly Level[] => {
  const groups = [...new Set(commands.flatMap(({ path }) => groupsAbove(path)))]
  const offered = [
    ...commands.map(({ path, summary }) => ({ path, summary })),
    ...groups.map((path) => ({ path, summary: nouns[path] ?? '' })),
  ]
  const below = (group: string) =>
    offered
      .filter(({ path }) => parentOf(path) === group)
      .map(({ path, summary }) => ({ name: path.slice(group === '' ? 0 : group.length + 1), summary }))
  return [
    ...['', ...groups].map((path) => ({ path, next: below(path), options: common, names: [], repeats: false })),
    ...commands.map(levelOf),
  ]
}

const parentOf = (path: string): string => path.split(' ').slice(0, -1).join(' ')

/** `memory`, `memory adr` for `memory adr show`. */
const groupsAbove = (path: string): readonly string[] =>
  path
    .split(' ')
    .slice(0, -1)
    .map((_, at, words) => words.slice(0, at + 1).join(' '))

/** Options with a value, of any command; no name is an option in one command and a flag in another. */
export const valueOptions = (levels: readonly Level[]): readonly string[] => [
  ...new Set(levels.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).map(({ name }) => name))),
]

const levelOf = ({ path, words }: Command): Level => {
  const all = Object.values(words)
  const places = all.filter(({ form }) => form === 'argument')
  return {
    path,
    next: places.flatMap(({ choices }) => choices).map((name) => ({ name, summary: '' })),
    options: [...all.filter(({ form }) => form !== 'argument').map(offer), ...common],
    names: places.map(({ names }) => names),
    repeats: places.at(-1)?.repeated ?? false,
  }
}

const offer = ({ name, description, form, choices, names }: Word<unknown>): Offer => ({
  name,
  description,
  takesValue: form === 'option',
  choices,
  names,
})

/** The arguments of a level that name something, with their positions; `more` if all later ones do too. */
export const namedPlaces = ({
  names,
  repeats,
}: Level): readonly { readonly at: number; readonly more: boolean; readonly sort: Named }[] =>
  names.flatMap((sort, at) => (sort === null ? [] : [{ at, more: repeats && at === names.length - 1, sort }]))

const common: readonly Offer[] = [
  { name: '--json', description: 'Print one JSON value', takesValue: false, choices: [], names: null },
  { name: '--root', description: 'Repository to work on', takesValue: true, choices: [], names: null },
  { name: '--help', description: 'Show help', takesValue: false, choices: [], names: null },
]
