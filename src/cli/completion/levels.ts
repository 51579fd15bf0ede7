import type { Command } from '../command.ts'
import type { Word } from '../words.ts'

/** What can follow after one path of the command line (`''`, `task`, `task add`). */
export interface Level {
  readonly path: string
  readonly next: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly Offer[]
}

export interface Offer {
  readonly name: string
  readonly description: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

export const levelsOf = (commands: readonly Command[], nouns: Readonly<Record<string, string>>): readonly Level[] => {
  const groups = [...new Set(commands.filter(({ path }) => path.includes(' ')).map(({ path }) => path.split(' ')[0]!))]
  const singles = commands.filter(({ path }) => !path.includes(' '))
  return [
    { path: '', next: [...singles.map(({ path, summary }) => ({ name: path, summary })), ...groups.map((name) => ({ name, summary: nouns[name] ?? '' }))], options: common },
    ...groups.map((group) => ({
      path: group,
      next: commands.filter(({ path }) => path.startsWith(`${group} `)).map(({ path, summary }) => ({ name: path.slice(group.length + 1), summary })),
      options: common,
    })),
    ...commands.map(levelOf),
  ]
}

/** Options that are followed by a value, whichever command they belong to; no name is an option here and a flag there. */
export const valueOptions = (levels: readonly Level[]): readonly string[] => [
  ...new Set(levels.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).map(({ name }) => name))),
]

const levelOf = ({ path, words }: Command): Level => {
  const all = Object.values(words)
  const argumentChoices = all.filter(({ form }) => form === 'argument').flatMap(({ choices }) => choices)
  return { path, next: argumentChoices.map((name) => ({ name, summary: '' })), options: [...all.filter(({ form }) => form !== 'argument').map(offer), ...common] }
}

const offer = ({ name, description, form, choices }: Word<unknown>): Offer => ({ name, description, takesValue: form === 'option', choices })

const common: readonly Offer[] = [
  { name: '--json', description: 'Print one JSON value', takesValue: false, choices: [] },
  { name: '--root', description: 'Repository to work on', takesValue: true, choices: [] },
  { name: '--help', description: 'Show help', takesValue: false, choices: [] },
]
