import { readFileSync } from 'node:fs'
import { commands } from '../../src/cli/commands/index.ts'
import { type Command, exitCodes } from '../../src/cli/call/command.ts'
import type { Word } from '../../src/cli/call/words.ts'
import { environmentVariables, exitCodeMeanings } from './commands.ts'

// The man page, in the macros of man(7), from the command table.

const { version, description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
  description: string
}

const files: Readonly<Record<string, string>> = {
  '.aiswarm/config.yaml': 'The configuration.',
  '.aiswarm/personas/': 'Personas, one file each.',
  '.aiswarm/coordination.db': 'The board: tasks, agents, worktrees, logs, events.',
  '.aiswarm/logs/': 'Output of agents, setups, verifications and hooks.',
}

export const manPage = (): string =>
  [
    '.\\" Generated from the command table by npm run docs.',
    `.TH AISWARM 1 "" "aiswarm ${text(version)}" "User Commands"`,
    // Readers search for a whole option, so lines are neither hyphenated nor stretched.
    '.nh',
    '.ad l',
    '.SH NAME',
    `aiswarm \\- ${text(lowered(description))}`,
    '.SH SYNOPSIS',
    '.B aiswarm',
    '.RI [ command ]',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    paragraph(
      'aiswarm starts coding agents, gives each its task and its git worktree, and shows all of it live. A person reviews the work of an agent and merges it with one key.',
    ),
    '.PP',
    paragraph('Without a command aiswarm opens the console. The key ? lists its keys.'),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH OPTIONS',
    'Every command also takes:',
    ...tagged(
      bold('--json'),
      'Print one JSON value on standard output; on errors {"error": {"code", "message"}} on standard error.',
    ),
    ...tagged(`${bold('--root')} ${italic('DIR')}`, 'Repository to work on, or a folder in it.'),
    ...tagged(`${bold('-h')}, ${bold('--help')}`, 'Show the help of the command with an example.'),
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).flatMap(([name, number]) =>
      tagged(bold(String(number)), exitCodeMeanings[name as keyof typeof exitCodes].replaceAll('`', '')),
    ),
    '.SH ENVIRONMENT',
    ...Object.entries(environmentVariables).flatMap(([name, meaning]) =>
      tagged(bold(name), meaning.replaceAll('`', '')),
    ),
    '.SH FILES',
    ...Object.entries(files).flatMap(([path, meaning]) => tagged(italic(path), meaning)),
    '.SH SEE ALSO',
    '.BR git (1),',
    '.BR git\\-worktree (1)',
    '',
  ].join('\n')

const commandLines = (command: Command): readonly string[] => {
  const words = Object.values(command.words)
  return [
    ...tagged([bold(`aiswarm ${command.path}`), ...words.map(usageOf)].join(' '), `${command.summary}.`),
    ...(words.length === 0
      ? []
      : [
          '.RS',
          ...words.flatMap((word) =>
            tagged(
              headOf(word),
              `${word.description}${word.choices.length > 0 ? `: ${word.choices.join(', ')}` : ''}.`,
            ),
          ),
          '.RE',
        ]),
  ]
}

const usageOf = (word: Word<unknown>): string => {
  const whole = headOf(word)
  const more = word.repeated ? '\\|.\\|.\\|.' : ''
  return word.required ? `${whole}${more}` : `[${whole}]${more}`
}

const headOf = ({ form, name, value }: Word<unknown>): string =>
  form === 'argument' ? italic(name) : value === null ? bold(name) : `${bold(name)} ${italic(value)}`

/** A paragraph with a tag; the tag already contains its fonts. */
const tagged = (tag: string, meaning: string): readonly string[] => ['.TP', tag, paragraph(meaning)]

const bold = (words: string): string => `\\fB${text(words)}\\fR`
const italic = (words: string): string => `\\fI${text(words)}\\fR`

/** A line of running text. A `.` or `'` at its start would be a request. */
export const paragraph = (words: string): string => text(words).replace(/^(?=[.'])/gm, '\\&')

/**
 * The characters that roff reads as something else: its escape, the hyphen that a terminal could not search for, and
 * every character outside ASCII.
 */
const text = (words: string): string =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/[^\n\x20-\x7e]/gu, (sign) => `\\[u${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`)

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)
